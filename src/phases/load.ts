import { CopyTextReader } from '../core/encode/copy-text.ts';
import { DocumentEncoder } from '../core/encode/document.ts';
import { parseLsn } from '../core/lsn.ts';
import type { LeafProgress } from '../core/plan/build-state.ts';
import { ChunkPace } from '../core/plan/chunk-pace.ts';
import { isLeafLoaded, nextChunk, planLeaf, resumedLeaf, withDone } from '../core/plan/chunks.ts';
import type { BulkBody } from '../core/sink/bulk-body.ts';
import type { Leaf } from '../core/table.ts';
import { persist } from './build/persist.ts';
import { type Run, throwIfAborted } from './build/run-state.ts';
import { checkCatalog } from './guards/catalog-guard.ts';
import { runCrew } from './load/crew.ts';
import { LoadBodies } from './load/load-bodies.ts';
import type { OpenChunk, Settling } from './load/open-chunk.ts';
import { partitionRewritten, rewritten } from './load/rewritten.ts';
import type { ChunkReader } from './ports.ts';
import type { Replay } from './replay.ts';

/**
 * Loads the table in chunks of heap blocks, each in its own short transaction with its own fresh snapshot, at version CP − 1, beside the replay. Unfinished
 * chunks are simply read again: that is what makes it resumable.
 */
export class Load {
  readonly #run: Run;
  readonly #replay: Replay;
  readonly #version: bigint;
  readonly #bodies: LoadBodies;
  readonly #pace: ChunkPace;
  readonly #checkpoint: (leaves: readonly LeafProgress[]) => Promise<void>;
  #leaves: LeafProgress[];
  #tableLeaves: readonly Leaf[];
  readonly #inFlight = new Set<OpenChunk>();
  #generation = 0;

  constructor(options: {
    readonly run: Run;
    readonly replay: Replay;
    readonly cp: string;
    readonly leaves: readonly LeafProgress[];
    /** Told after each chunk; writes it down at most every few seconds. */
    readonly checkpoint: (leaves: readonly LeafProgress[]) => Promise<void>;
  }) {
    this.#run = options.run;
    this.#replay = options.replay;
    this.#version = parseLsn(options.cp) - 1n;
    this.#leaves = [...options.leaves];
    this.#tableLeaves = options.run.table.leaves;
    this.#checkpoint = options.checkpoint;
    this.#bodies = new LoadBodies(options.run);
    this.#pace = new ChunkPace(
      options.run.table.estimatedRows,
      this.#tableLeaves.reduce((sum, leaf) => sum + leaf.blocks, 0),
    );
  }

  get leaves(): readonly LeafProgress[] {
    return this.#leaves;
  }

  /** Resolves when every chunk is in the index. */
  async run(): Promise<void> {
    this.#replanStale();
    while (!this.#leaves.every(isLeafLoaded)) {
      await runCrew(
        () => this.#run.steering.limits.copyJobs,
        (stays) => this.#work(stays),
      );
    }
  }

  /** A resume may meet another relfilenode than the one its chunks were counted in. */
  #replanStale(): void {
    this.#leaves = this.#tableLeaves.map((leaf) => {
      const known = this.#leaves.find((progress) => progress.oid === leaf.oid);
      return known?.relfilenode === leaf.relfilenode ? resumedLeaf(known) : planLeaf(leaf);
    });
  }

  async #work(stays: () => boolean): Promise<void> {
    const settling: Promise<void>[] = [];
    try {
      while (stays()) {
        throwIfAborted(this.#run.signal);
        if (await this.#run.throttle.pass(this.#run.signal)) this.#run.bulkTuning.interrupted(this.#run.clock.now());
        await this.#replay.gate.enter();
        const open = this.#open();
        if (open === null) {
          this.#replay.gate.leave();
          break;
        }
        const { done } = await this.#readWithRetry(open);
        // The next chunk is read while this one's last bulks are answered; one of them at a time.
        const before = settling.pop();
        settling.push(quiet(done));
        await before;
      }
    } finally {
      await Promise.allSettled(settling);
    }
    await Promise.all(settling);
  }

  #open(): OpenChunk | null {
    const chunks = [...this.#inFlight].map((open) => open.chunk);
    for (const progress of this.#leaves) {
      const chunk = nextChunk(progress, chunks, this.#chunkBlocks(progress));
      if (chunk === null) continue;
      const leaf = this.#tableLeaves.find((candidate) => candidate.oid === progress.oid);
      if (leaf === undefined) continue;
      const floor = this.#replay.acknowledger.chunkStarted();
      const open: OpenChunk = { chunk, leaf, floor, generation: this.#generation, snapshot: null, openedAt: null, rows: 0 };
      this.#inFlight.add(open);
      return open;
    }
    return null;
  }

  #chunkBlocks({ blocks }: LeafProgress): number {
    const { rate, copyJobs } = this.#run.steering.limits;
    return this.#run.options.chunkBlocks ?? this.#pace.next(blocks, rate, copyJobs);
  }

  /** Reads the chunk, and again if the connection broke. */
  async #readWithRetry(open: OpenChunk): Promise<Settling> {
    try {
      return await persist(this.#run, 'copy', () => this.#read(open));
    } catch (error) {
      this.#leave(open);
      throw error;
    }
  }

  async #read(open: OpenChunk): Promise<Settling> {
    const { from, to } = open.chunk;
    const { documents } = this.#run;
    const reader = await this.#run.source.openChunk({ leaf: open.leaf, from, to, columns: documents.columns, where: documents.where });
    const sends: Promise<void>[] = [];
    try {
      // Rows of an attempt that broke off may have been written: what R3 asks is what the first one saw.
      open.snapshot ??= reader.snapshot;
      await this.#run.failpoint?.('chunk.opened');
      await checkCatalog(this.#run);
      if (reader.relfilenode !== open.leaf.relfilenode) {
        // Sizes take a lock, so this chunk's goes first.
        await reader.close();
        this.#relfilenodeChanged((await this.#run.source.describeTable(this.#run.config.table))?.leaves ?? [], open);
        // An attempt before this one may have written rows: R3 asks for them as for any.
        return { done: quiet(this.#settle(open, sends)) };
      }
      open.openedAt = this.#run.clock.now();
      open.rows = await this.#copy(reader, sends);
      // Not in one with the wait: the sum would be that of before it, without what other readers added meanwhile.
      this.#run.counters.rows += open.rows;
      await this.#run.failpoint?.('chunk.read');
    } catch (error) {
      // The bulks of a broken chunk must have ended before anything else is decided.
      await Promise.allSettled(sends);
      throw error;
    } finally {
      await reader.close();
    }
    return { done: quiet(this.#settle(open, sends)) };
  }

  async #copy(reader: ChunkReader, sends: Promise<void>[]): Promise<number> {
    const { documents } = this.#run;
    const encoder = new DocumentEncoder(documents);
    const copy = new CopyTextReader(documents.columns.length);
    let body: BulkBody | null = null;
    try {
      for await (const bytes of reader.chunks()) {
        throwIfAborted(this.#run.signal);
        const filling: BulkBody = body ?? (await this.#bodies.take());
        body = filling;
        copy.push(bytes, (row) => {
          const rejection = filling.appendRow(encoder, row, this.#version);
          if (rejection !== undefined) this.#bodies.reject(encoder, row, rejection);
        });
        if (!this.#bodies.isFull(filling)) continue;
        // From here on it is not ours: sending gives it back.
        body = null;
        sends.push(quiet(this.#bodies.send(filling)));
      }
    } catch (error) {
      if (body !== null) this.#bodies.giveBack(body);
      throw error;
    }
    if (body !== null) sends.push(quiet(this.#bodies.send(body)));
    return copy.end();
  }

  /** All bulks acknowledged, then the deletes again (rule R3), then the chunk counts as done. */
  async #settle(open: OpenChunk, sends: readonly Promise<void>[]): Promise<void> {
    try {
      await Promise.all(sends);
      this.#timed(open, sends.length);
      await this.#run.failpoint?.('chunk.written');
      if (open.snapshot !== null) await this.#replay.resendDeletes(open.snapshot);
      if (open.generation === this.#generation) {
        this.#leaves = this.#leaves.map((leaf) => (leaf.oid === open.chunk.oid ? withDone(leaf, open.chunk) : leaf));
      }
      // Only now: a chunk that ends in any other way must get its deletes again from the stream, whoever goes on.
      this.#replay.acknowledger.chunkFinished(open.floor);
      this.#leave(open);
      this.#forgetDeletes(open);
    } finally {
      await Promise.allSettled(sends);
      this.#leave(open);
    }
    await this.#run.failpoint?.('chunk.settled');
    await this.#checkpoint(this.#leaves);
  }

  #timed({ chunk, leaf, rows, openedAt }: OpenChunk, bulks: number): void {
    if (openedAt === null) return;
    const blocks = Math.max(1, (chunk.to ?? leaf.blocks) - chunk.from);
    this.#pace.settled({ blocks, rows, tookMs: this.#run.clock.now() - openedAt, bulks });
  }

  #leave(open: OpenChunk): void {
    if (this.#inFlight.delete(open)) this.#replay.gate.leave();
  }

  /** Later chunks see what this one saw. One that is being opened may have taken its snapshot before: then the next chunk's end decides. */
  #forgetDeletes(closed: OpenChunk): void {
    const snapshots = [closed, ...this.#inFlight].flatMap(({ snapshot }) => (snapshot === null ? [] : [snapshot]));
    if (snapshots.length === this.#inFlight.size + 1) this.#replay.deletes.forgetSeenBy(snapshots);
  }

  /**
   * VACUUM FULL, CLUSTER and TRUNCATE move rows to other blocks: the chunks of that relation are planned again. A truncated partition sends no message, so
   * there it cannot be told from a harmless rewrite.
   */
  #relfilenodeChanged(leaves: readonly Leaf[], open: OpenChunk): void {
    const { leaf } = open;
    if (this.#run.table.partitioned) throw partitionRewritten(leaf);
    // Another chunk may have seen it first.
    if (open.generation !== this.#generation) return;
    this.#tableLeaves = leaves;
    this.#generation++;
    this.#replanStale();
    this.#run.reporter.report(rewritten(leaf));
  }
}

/** Marks a rejection as looked after; whoever awaits the promise still gets it. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
