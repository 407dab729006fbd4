const [NEWLINE, D] = [0x0a, 0x64];
const INDEXED = ',{"index":{"status":201}}';
const DELETED = ',{"delete":{"status":200}}';
const [HEAD, TAIL] = [Buffer.from('{"errors":false,"items":['), Buffer.from(']}')];

/** Counts the operations of a bulk body while its bytes arrive, without keeping them: a delete is a line of its own, an index operation has its document in the next one. */
export class BulkCounter {
  readonly #deletes = new Set<number>();
  #operations = 0;
  #bytes = 0;
  /** Bytes seen of the line that has begun. */
  #column = 0;
  #inDocument = false;
  #isDelete = false;

  get operations(): number {
    return this.#operations;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const third = at + 2 - this.#column;
      // `{"index"…` or `{"delete"…`: the third byte says it, in whatever piece it comes.
      if (!this.#inDocument && this.#column <= 2 && third < bytes.length) this.#isDelete = bytes[third] === D;
      const end = bytes.indexOf(NEWLINE, at);
      if (end === -1) {
        this.#column += bytes.length - at;
        return;
      }
      this.#endLine();
      at = end + 1;
    }
  }

  #endLine(): void {
    this.#column = 0;
    if (!this.#inDocument && this.#isDelete) this.#deletes.add(this.#operations);
    const complete = this.#inDocument || this.#isDelete;
    if (complete) this.#operations++;
    this.#inDocument = !complete;
    this.#isDelete = false;
  }

  /** What Elasticsearch says to it, all being well, under `filter_path=errors,items.*.status,items.*.error`. */
  answer(): Buffer {
    if (this.#deletes.size === 0) return Buffer.concat([HEAD, allIndexed(this.#operations), TAIL]);
    const items = Array.from({ length: this.#operations }, (_, i) => (this.#deletes.has(i) ? DELETED : INDEXED));
    return Buffer.concat([HEAD, Buffer.from(items.join('').slice(1)), TAIL]);
  }
}

let repeated = Buffer.from(INDEXED);

/** A piece of one text that is made once: the server that answers must cost as little as it can. */
function allIndexed(count: number): Buffer {
  while (repeated.length < count * INDEXED.length) repeated = Buffer.concat([repeated, repeated]);
  return repeated.subarray(1, Math.max(1, count * INDEXED.length));
}
