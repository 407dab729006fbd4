import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../core/failure.ts';
import type { RejectFile, RejectRecord } from '../phases/ports.ts';
import { errorCode } from './config/environment.ts';
import { escapedJson } from './escaped-json.ts';

export interface RejectsFileRequest {
  readonly path: string;
  readonly index: string;
  readonly date: () => Date;
}

/**
 * Appends one JSON object a line: `{"time","index","build","id","column","reason"}` (no `column` where Elasticsearch refused the row), never values.
 * The file is made at the first record, mode 0600 (ids may be personal). A write that fails throws: a reject that is lost would be a row lost without
 * a word.
 */
export class RejectsFile implements RejectFile {
  readonly #request: RejectsFileRequest;
  #file: Promise<FileHandle> | null = null;
  /** One write after another, so that lines of parallel callers do not mix. */
  #last: Promise<void> = Promise.resolve();
  /** Whose rows these are, once it is known: every run of the index adds to the same file. */
  build: string | null = null;
  /** Records of this run. A row that was mended and refused again has two. */
  count = 0;

  constructor(request: RejectsFileRequest) {
    this.#request = request;
  }

  write(record: RejectRecord): Promise<void> {
    const next = this.#last.then(() => this.#append(record));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    await this.#last;
    const file = await this.#file?.catch(() => null);
    this.#file = null;
    await file?.close();
  }

  async #append(record: RejectRecord): Promise<void> {
    const { path, index, date } = this.#request;
    try {
      this.#file ??= open(path, 'a', 0o600);
      const file = await this.#file;
      const named = this.build === null ? {} : { build: this.build };
      await file.appendFile(`${escapedJson(JSON.stringify({ time: date().toISOString(), index, ...named, ...record }))}\n`);
      this.count++;
    } catch (error) {
      throw new Failure('rejects-unwritable', `a rejected row could not be written to ${path} (${errorCode(error)})`, {
        hint: 'Make room or give another file with --rejects, then run the same command again: it resumes.',
        cause: error,
      });
    }
  }
}
