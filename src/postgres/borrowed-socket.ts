import type pg from 'pg';

type BytesListener = (bytes: Buffer) => void;

/** A connection's socket, read by somebody else than pg. */
export interface BorrowedSocket {
  readonly stream: pg.Connection['stream'];
  /** Lets pg read these bytes: whole messages of the protocol. */
  pass(bytes: Buffer): void;
  /** pg reads it again, beginning with `rest`. */
  giveBack(rest: Buffer): void;
}

/** From now on `onBytes` gets what arrives, and pg, of which there is one listener (docs/servers.md C12), what it is passed. Throws if somebody else reads the socket. */
export function borrowSocket({ stream }: pg.Connection, onBytes: BytesListener): BorrowedSocket {
  const [protocol, another] = stream.listeners('data') as BytesListener[];
  if (protocol === undefined || another !== undefined) throw new Error('BUG: not exactly one reader of the connection');
  stream.removeListener('data', protocol);
  stream.on('data', onBytes);
  return {
    stream,
    pass: protocol,
    giveBack: (rest) => {
      stream.removeListener('data', onBytes);
      stream.on('data', protocol);
      if (rest.length > 0) protocol(rest);
    },
  };
}
