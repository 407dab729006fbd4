import { ByteWriter } from '../encode/byte-writer.ts';
import { isVisible, type PgSnapshot, widenXid } from './snapshot.ts';

/** A delete that went to the sink while the load was running. */
export interface SentDelete {
  readonly id: Buffer;
  readonly routing?: Buffer | undefined;
  readonly version: bigint;
  readonly xid: number;
}

/** Version (8 bytes), xid (4), length of the id (2), length of the routing (2; 0: there is none, for an empty one cannot be), then the id and the routing. */
const HEAD_BYTES = 16;
const PAGE_BYTES = 1 << 18;
const FIRST_PAGE_BYTES = 1 << 12;

interface Page {
  readonly bytes: ByteWriter;
  /** Whose deletes are in it: few, for those of one transaction lie side by side. */
  readonly xids: Set<number>;
}

/**
 * Rule R3: Elasticsearch forgets deletes, so a chunk row read before a delete may bring the document back when it is written after it. Deletes are
 * kept here from before they are sent until every later chunk must see them. One transaction can delete millions of rows, so they are kept as bytes in pages
 * (id, routing and 16 bytes each), not as objects; a page goes when all its deletes may be forgotten.
 */
export class DeleteMemory {
  #pages: Page[] = [];
  #byteLength = 0;

  get size(): number {
    return this.#pages.reduce((count, page) => count + [...recordsOf(page.bytes.view())].length, 0);
  }

  /** Bytes in use; twice as many may be allocated. */
  get byteLength(): number {
    return this.#byteLength;
  }

  remember(sent: SentDelete): void {
    const { id, routing } = sent;
    const length = HEAD_BYTES + id.length + (routing?.length ?? 0);
    const { bytes: page, xids } = this.#pageFor(length);
    xids.add(sent.xid >>> 0);
    const { buffer, offset } = page;
    buffer.writeBigUInt64BE(sent.version, offset);
    buffer.writeUInt32BE(sent.xid >>> 0, offset + 8);
    buffer.writeUInt16BE(id.length, offset + 12);
    buffer.writeUInt16BE(routing?.length ?? 0, offset + 14);
    id.copy(buffer, offset + HEAD_BYTES);
    routing?.copy(buffer, offset + HEAD_BYTES + id.length);
    page.offset += length;
    this.#byteLength += length;
  }

  /** The deletes remembered by now that a chunk read in `snapshot` did not see; each is valid until the memory changes its mind, so use it at once. */
  *unseenBy(snapshot: PgSnapshot): Generator<SentDelete> {
    const views = this.#pages.map((page) => page.bytes.view());
    const sees = remembering((xid) => isVisible(snapshot, widenXid(xid, snapshot.xmax)));
    for (const view of views) {
      for (const sent of recordsOf(view)) if (!sees(sent.xid)) yield sent;
    }
  }

  /**
   * Forgets what all of `snapshots` see. Only call it with the snapshots of all chunks in flight and one that is at most as new as those of all later
   * chunks: what a snapshot sees of committed transactions, every later one sees too.
   */
  forgetSeenBy(snapshots: readonly PgSnapshot[]): void {
    const seen = (xid: number): boolean => snapshots.every((snapshot) => isVisible(snapshot, widenXid(xid, snapshot.xmax)));
    this.#pages = this.#pages.filter((page) => ![...page.xids].every(seen));
    this.#byteLength = this.#pages.reduce((sum, page) => sum + page.bytes.offset, 0);
  }

  clear(): void {
    this.#pages = [];
    this.#byteLength = 0;
  }

  #pageFor(bytes: number): Page {
    let page = this.#pages.at(-1);
    if (page === undefined || page.bytes.offset + bytes > PAGE_BYTES) {
      page = { bytes: new ByteWriter(FIRST_PAGE_BYTES), xids: new Set() };
      this.#pages.push(page);
    }
    page.bytes.ensure(bytes);
    return page;
  }
}

/** The deletes of one transaction lie side by side: its answer is worked out once. */
function remembering(answerFor: (xid: number) => boolean): (xid: number) => boolean {
  let last = -1;
  let answer = false;
  return (xid) => {
    if (xid !== last) {
      last = xid;
      answer = answerFor(xid);
    }
    return answer;
  };
}

function* recordsOf(view: Buffer): Generator<SentDelete> {
  for (let at = 0; at < view.length; ) {
    const idEnd = at + HEAD_BYTES + view.readUInt16BE(at + 12);
    const end = idEnd + view.readUInt16BE(at + 14);
    const routing = end === idEnd ? undefined : view.subarray(idEnd, end);
    yield { version: view.readBigUInt64BE(at), xid: view.readUInt32BE(at + 8), id: view.subarray(at + HEAD_BYTES, idEnd), routing };
    at = end;
  }
}
