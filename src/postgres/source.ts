import type { Source } from '../phases/ports.ts';
import { describeBlockers } from './blockers.ts';
import { canBeKeys } from './can-be-keys.ts';
import { describeTable } from './catalog.ts';
import { openChunk, openTable } from './chunk.ts';
import type { PostgresConfig } from './connect.ts';
import { changeComment, isLocked, readComment, serverTime } from './control.ts';
import { describeComputed } from './expression.ts';
import { readIdentity } from './identity.ts';
import { readInsertLsn } from './insert-lsn.ts';
import { lockNumber, tryLock } from './lock.ts';
import { lookup } from './lookup.ts';
import { nearestTable } from './nearest-table.ts';
import { openStream } from './open-stream.ts';
import { connectFirst } from './other-protocol.ts';
import { preflight } from './preflight/preflight.ts';
import { exclusiveLock, oldestTransaction, replicaLag, slotWalKeepBytes } from './pressure.ts';
import { createPublication, dropPublication, listPublications, readPublication } from './publication.ts';
import { readReference } from './reference.ts';
import { openSessionPool, type SessionPool } from './session-pool.ts';
import { createSlot } from './slot.ts';
import { dropSlot, listSlots, readSlot } from './slot-state.ts';
import { keepSnapshot, notYetVisible } from './snapshot-keeper.ts';
import { readSnapshot } from './snapshot-transaction.ts';
import { throttleQuery } from './throttle-query.ts';

export interface SourceOptions {
  /** A replication connection that stays silent for so long, a ping included, has failed. Default 60 s. */
  readonly streamSilenceMs?: number;
  /** Bytes of received messages above which the replication socket is paused. Default 512 KiB. */
  readonly streamQueueBytes?: number;
}

/** The PostgreSQL side of the pipeline. Connects once to see that the server can be reached; throws `unreachable`, `denied`, `config`. */
export async function openSource(config: PostgresConfig, options: SourceOptions = {}): Promise<Source & { close(): Promise<void> }> {
  const pool = openSessionPool(config);
  pool.release(await connectFirst(config));
  const parts = { ...catalogPart(config, pool), ...replicationPart(config, pool, options), ...rowsPart(config, pool) };
  return { ...parts, ...controlPart(pool), ...pressurePart(pool), close: () => pool.close() };
}

type CatalogPart = Pick<
  Source,
  | 'identity'
  | 'describeTable'
  | 'nearestTable'
  | 'describeComputed'
  | 'preflight'
  | 'tryLock'
  | 'createPublication'
  | 'readPublication'
  | 'dropPublication'
  | 'listPublications'
>;

function catalogPart(config: PostgresConfig, pool: SessionPool): CatalogPart {
  return {
    identity: () => pool.use(readIdentity),
    describeTable: (qualifiedName, options) => pool.use((session) => describeTable(session, qualifiedName, options?.sizes)),
    nearestTable: (qualifiedName) => pool.use((session) => nearestTable(session, qualifiedName)),
    preflight: (qualifiedName, options) => pool.use((session) => preflight(session, config, qualifiedName, options)),
    describeComputed: (table, expressions) => pool.use((session) => describeComputed(session, table, expressions)),
    tryLock: (alias) => tryLock(config, alias),
    createPublication: (name, table, key = null) => pool.use((session) => createPublication(session, name, table, key)),
    readPublication: (name) => pool.use((session) => readPublication(session, name)),
    listPublications: (prefix) => pool.use((session) => listPublications(session, prefix)),
    dropPublication: (name) => pool.use((session) => dropPublication(session, name)),
  };
}

type ReplicationPart = Pick<
  Source,
  'createSlot' | 'readSlot' | 'listSlots' | 'dropSlot' | 'openStream' | 'notYetVisible' | 'currentSnapshot' | 'insertLsn'
>;

/** Some hundredths of a second of a fast stream. */
const QUEUED_BYTES = 1 << 19;

function replicationPart(config: PostgresConfig, pool: SessionPool, options: SourceOptions): ReplicationPart {
  const limits = { silenceMs: options.streamSilenceMs ?? 60_000, maxQueuedBytes: options.streamQueueBytes ?? QUEUED_BYTES };
  return {
    createSlot: (request) => createSlot(config, pool, request),
    readSlot: (name) => pool.use((session) => readSlot(session, name)),
    listSlots: (prefix) => pool.use((session) => listSlots(session, prefix)),
    dropSlot: (name) => pool.use((session) => dropSlot(session, name)),
    openStream: (request) => openStream(config, pool, request, limits),
    notYetVisible: (snapshotName) => notYetVisible(pool, snapshotName),
    currentSnapshot: () => pool.use(readSnapshot),
    insertLsn: () => pool.use(readInsertLsn),
  };
}

type RowsPart = Pick<Source, 'openChunk' | 'openTable' | 'lookup' | 'readReference' | 'canBeKeys' | 'keepSnapshot'>;

function rowsPart(config: PostgresConfig, pool: SessionPool): RowsPart {
  return {
    openChunk: (request) => openChunk(pool, request),
    openTable: (request) => openTable(pool, request),
    lookup: (request) => pool.use((session) => lookup(session, request)),
    readReference: (request) => pool.use((session) => readReference(session, request)),
    canBeKeys: (key, keys) => pool.use((session) => canBeKeys(session, key, keys)),
    keepSnapshot: (snapshotName) => keepSnapshot(config, snapshotName),
  };
}

type ControlPart = Pick<Source, 'readComment' | 'changeComment' | 'isLocked' | 'serverTime'>;

function controlPart(pool: SessionPool): ControlPart {
  return {
    readComment: (publication) => pool.use((session) => readComment(session, publication)),
    changeComment: (publication, change) => pool.use((session) => changeComment(session, publication, change)),
    isLocked: (name) => pool.use((session) => isLocked(session, lockNumber(name))),
    serverTime: () => pool.use(serverTime),
  };
}

type PressurePart = Pick<Source, 'replicaLag' | 'throttleQuery' | 'exclusiveLock' | 'writingTransactions' | 'oldestTransaction' | 'slotWalKeepBytes'>;

function pressurePart(pool: SessionPool): PressurePart {
  return {
    replicaLag: () => pool.use(replicaLag),
    throttleQuery: (sql) => pool.use((session) => throttleQuery(session, sql)),
    exclusiveLock: (oids) => pool.use((session) => exclusiveLock(session, oids)),
    writingTransactions: () => pool.use((session) => describeBlockers(session, null)),
    oldestTransaction: () => pool.use(oldestTransaction),
    slotWalKeepBytes: () => pool.use(slotWalKeepBytes),
  };
}
