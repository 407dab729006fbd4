import { Failure } from '../core/failure.ts';
import { formatLsn } from '../core/lsn.ts';
import { StreamFrames } from '../core/wal/stream-frames.ts';
import type { ChangeStream, StreamMessage } from '../phases/ports.ts';
import { type BorrowedSocket, borrowSocket } from './borrowed-socket.ts';
import { connectionOf, endSession, type Session } from './connect.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';
import { HighestPosition, parseWalMessage, statusUpdate } from './stream-messages.ts';
import { StreamQueue } from './stream-queue.ts';

export interface StreamOptions {
  readonly slot: string;
  readonly publication: string;
  readonly from: bigint;
  /** How often the acknowledged position is sent: well within wal_sender_timeout. */
  readonly statusIntervalMs: number;
  /** With no bytes at all for half of this the server is pinged; for all of it the stream has failed. */
  readonly silenceMs: number;
  /** The socket pauses above it and goes on below half. */
  readonly maxQueuedBytes: number;
  /** Turns the end of the connection into the failure that `read` throws: the slot may be lost, the cut alone says nothing (docs/servers.md P30). */
  readonly explainEnd: (error: unknown) => Promise<Error>;
}

/**
 * START_REPLICATION on a session of its own: raw pgoutput messages in order, back-pressure on the socket, and only positions that the
 * caller has acknowledged ever sent back. Client libraries confirm what they have received instead (docs/servers.md C1). It reads the socket itself: pg makes three objects of each
 * message and a copy would be needed (docs/servers.md C2); pg gets every message that is not the stream's.
 */
export class ReplicationStream implements ChangeStream {
  readonly #session: Session;
  readonly #options: StreamOptions;
  readonly #queue = new StreamQueue();
  readonly #timer: NodeJS.Timeout;
  #acknowledged: bigint;
  readonly #received: HighestPosition;
  readonly #frames = new StreamFrames(
    (bytes, start, end) => this.#receive(bytes, start, end),
    (bytes, start, end) => this.#socket?.pass(bytes.subarray(start, end)),
  );
  #socket: BorrowedSocket | null = null;
  #paused = false;
  #started = false;
  #ended = false;
  #lastByteMs = performance.now();
  #pingedMs: number | null = null;

  private constructor(session: Session, options: StreamOptions) {
    this.#session = session;
    this.#options = options;
    this.#acknowledged = options.from;
    this.#received = new HighestPosition(options.from);
    this.#timer = setInterval(() => this.#tick(), options.statusIntervalMs);
  }

  /** Starts streaming; rejects with the server's error if START_REPLICATION is refused (the session is then still usable). */
  static async start(session: Session, options: StreamOptions): Promise<ReplicationStream> {
    const stream = new ReplicationStream(session, options);
    try {
      await stream.#begin();
      return stream;
    } catch (error) {
      stream.#stop();
      throw error;
    }
  }

  async read(timeoutMs: number): Promise<readonly StreamMessage[]> {
    const messages = await this.#queue.take(timeoutMs);
    this.#resume();
    return messages;
  }

  acknowledge(lsn: bigint): void {
    // The server takes a position past its own end as it is, and never delivers the commits below it (docs/servers.md P28).
    const received = this.#received.lsn;
    if (lsn > received) throw new RangeError(`acknowledging ${formatLsn(lsn)}, but only ${formatLsn(received)} was received`);
    if (lsn <= this.#acknowledged) return;
    this.#acknowledged = lsn;
    this.#sendStatus(false);
  }

  ping(): void {
    this.#sendStatus(true);
  }

  async close(): Promise<void> {
    if (this.#session.lost === null) this.#sendStatus(false);
    this.#stop();
    this.#queue.clear();
    this.#queue.fail(new Failure('connection-lost', 'the stream was closed', { hint: 'Run the same command again: it resumes.' }));
    // A paused socket would never see the server's goodbye.
    connectionOf(this.#session.client).stream.resume();
    await endSession(this.#session);
  }

  #begin(): Promise<void> {
    const connection = connectionOf(this.#session.client);
    const socket = borrowSocket(connection, (bytes) => this.#arrived(bytes));
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      const onStart = (): void => {
        this.#started = true;
        resolve();
      };
      connection.once('replicationStart', onStart);
      const onEnd = (error: unknown): void => {
        connection.off('replicationStart', onStart);
        // Behind a failure nobody knows what it is the beginning of.
        socket.giveBack(this.#ended ? Buffer.alloc(0) : this.#frames.begun);
        this.#end(error, reject);
      };
      // Stays pending until the stream ends, which is never a success here (docs/servers.md C7).
      this.#session.client.query(this.#startCommand()).then(() => onEnd(new Error('the server ended the stream')), onEnd);
    });
  }

  #startCommand(): string {
    // Publication names are identifiers inside a literal: unquoted they are folded to lower case (docs/servers.md P25).
    const names = quoteLiteral(quoteIdentifier(this.#options.publication));
    const slot = quoteIdentifier(this.#options.slot);
    return `START_REPLICATION SLOT ${slot} LOGICAL ${formatLsn(this.#options.from)} (proto_version '1', publication_names ${names}, messages 'true')`;
  }

  #arrived(bytes: Buffer): void {
    this.#lastByteMs = performance.now();
    this.#pingedMs = null;
    try {
      this.#frames.push(bytes);
    } catch (error) {
      // Thrown from a socket event it would end the program without a word about the build. Where the next message begins is not known any more: nobody may read on.
      this.#stop();
      this.#queue.fail(error instanceof Error ? error : new Error(String(error)));
      this.#socket?.stream.destroy();
    }
  }

  #receive(bytes: Buffer, start: number, end: number): void {
    if (this.#ended) return;
    const message = parseWalMessage(bytes, start, end);
    this.#received.see(bytes, start);
    this.#queue.push(message);
    if (message.replyRequested === true) this.#sendStatus(false);
    this.#pause();
  }

  #pause(): void {
    if (this.#paused || this.#queue.bytes < this.#options.maxQueuedBytes) return;
    this.#paused = true;
    connectionOf(this.#session.client).stream.pause();
  }

  #resume(): void {
    if (!this.#paused || this.#queue.bytes > this.#options.maxQueuedBytes / 2) return;
    this.#paused = false;
    this.#lastByteMs = performance.now();
    connectionOf(this.#session.client).stream.resume();
  }

  #tick(): void {
    if (this.#paused) this.#lastByteMs = performance.now();
    const half = this.#options.silenceMs / 2;
    const now = performance.now();
    if (this.#pingedMs !== null && now - this.#pingedMs > half) {
      this.#silent();
      return;
    }
    const quiet = this.#pingedMs === null && now - this.#lastByteMs > half;
    if (quiet) this.#pingedMs = now;
    this.#sendStatus(quiet);
  }

  #silent(): void {
    this.#stop();
    const seconds = Math.round(this.#options.silenceMs / 1000);
    this.#queue.fail(
      new Failure('connection-lost', `the replication connection was silent for ${seconds} s, a ping included`, {
        hint: 'Look at the PostgreSQL server and at the network before it (a firewall that forgets idle connections); the same command resumes the build.',
      }),
    );
    connectionOf(this.#session.client).stream.destroy();
  }

  #sendStatus(replyRequested: boolean): void {
    if (this.#ended || this.#session.lost !== null) return;
    connectionOf(this.#session.client).sendCopyFromChunk(statusUpdate(this.#acknowledged, Date.now(), replyRequested));
  }

  #end(error: unknown, rejectStart: (error: unknown) => void): void {
    if (!this.#started) rejectStart(error);
    if (this.#ended || !this.#started) return;
    this.#stop();
    void this.#options.explainEnd(error).then(
      (failure) => this.#queue.fail(failure),
      (failure: Error) => this.#queue.fail(failure),
    );
  }

  #stop(): void {
    this.#ended = true;
    clearInterval(this.#timer);
  }
}
