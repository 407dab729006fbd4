import type pg from 'pg';
import { CopyFrames } from '../core/encode/copy-frames.ts';
import { type BorrowedSocket, borrowSocket } from './borrowed-socket.ts';

/** What waits to be taken before the server is no longer listened to. */
const MOST_BYTES = 256 << 10;

/**
 * A `COPY … TO STDOUT` as a query of pg. It reads the socket itself, because a row is a message: an object for each (as pg and pg-copy-streams make them) costs more than
 * to split it into its fields. pg gets what comes behind the rows, and with it every error.
 */
export class CopyQuery {
  readonly text: string;
  /** As the server counts them; 0 until it has. */
  rowCount = 0;
  readonly #frames = new CopyFrames();
  /** Null before the rows and behind them: then pg reads. */
  #socket: BorrowedSocket | null = null;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #ready = false;
  #broken: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The rows that have arrived so far. */
  get rows(): number {
    return this.#frames.rows;
  }

  get damaged(): boolean {
    return this.#frames.damaged;
  }

  /** What has arrived, without waiting: a piece of COPY text, null behind the last one and once the server is ready for another query, else undefined. Throws what pg was told. */
  take(): Buffer | null | undefined {
    if (this.#broken !== null) throw this.#broken.error;
    const piece = this.#queue.shift();
    if (piece === undefined) return this.#ready ? null : undefined;
    this.#queuedBytes -= piece.length;
    if (this.#queue.length === 0) this.#socket?.stream.resume();
    return piece;
  }

  /** Resolves when `take` has something to say. For one caller at a time. */
  async arrival(): Promise<void> {
    if (this.#broken !== null || this.#ready || this.#queue.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Called by pg when it is this query's turn. */
  submit(connection: pg.Connection): void {
    this.#socket = borrowSocket(connection, (bytes) => this.#receive(bytes));
    connection.query(this.text);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.rowCount = Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0);
  }

  /** The tag with the row count may come in a later packet than the end of the rows. */
  handleReadyForQuery(): void {
    this.#ready = true;
    this.#tell();
  }

  handleError(error: unknown): void {
    this.#broken ??= { error };
    this.#tell();
  }

  #receive(bytes: Buffer): void {
    const piece = this.#frames.push(bytes);
    if (piece.length > 0) {
      this.#queue.push(piece);
      this.#queuedBytes += piece.length;
    }
    const { rest } = this.#frames;
    if (rest !== null) this.#giveBack(rest);
    else if (this.#queuedBytes >= MOST_BYTES) this.#socket?.stream.pause();
    if (piece.length > 0) this.#tell();
  }

  #giveBack(rest: Buffer): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.giveBack(rest);
  }

  #tell(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
