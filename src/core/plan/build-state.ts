import type { VerifyMode } from './index-config.ts';

/**
 * What a build leaves on the servers, in the new index's mapping under `_meta.realign`. Everything a resume on another host needs; no
 * secrets, no row values except the ids of rejected rows (the verifier must know them). LSNs and xids are PostgreSQL's text.
 */
export const STATE_FORMAT = 1;

/** `failed`: stopped for good, slot and publication are gone, the index is kept for inspection. */
export type BuildPhase = 'load' | 'catchup' | 'verify' | 'hold' | 'swap' | 'cleanup' | 'follow' | 'finished' | 'failed';

/** Blocks of one leaf that are loaded: `[from, to)` pairs in ascending order, not touching each other. */
export interface LeafProgress {
  readonly oid: number;
  readonly relfilenode: number;
  readonly blocks: number;
  /** Chunk borders are multiples of it: 1. States of earlier versions have the one size of their chunks here, and those versions still read it. */
  readonly chunkBlocks: number;
  readonly done: readonly (readonly [number, number])[];
}

export interface BuildState {
  readonly format: typeof STATE_FORMAT;
  readonly tool: string;
  readonly build: string;
  readonly alias: string;
  /** The index it was written for. States of before this field have none. */
  readonly index?: string;
  readonly phase: BuildPhase;
  readonly slot: string;
  readonly publication: string;
  /** The slot's consistent point. */
  readonly cp: string;
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly database: string;
  readonly table: { readonly oid: number; readonly schema: string; readonly name: string };
  /** `SourceTable.fingerprint` at the start. */
  readonly catalogFingerprint: string;
  /** A hash over everything in the config that shapes documents, mapping and settings. */
  readonly planFingerprint: string;
  /** The generation the alias was on at the start; null for a first build. */
  readonly previous: string | null;
  readonly startedAt: string;
  readonly load: readonly LeafProgress[];
  readonly rejectedIds: readonly string[];
  /** After the swap: everything committed before it is in the index, so the slot may go. A missing slot without this is a loss. */
  readonly drained?: true;
  /** The settings wanted at the end (the live index's and the config's). */
  readonly settings: { readonly [name: string]: unknown };
  /** `--run-key` of the run that made it. */
  readonly runKey?: string;
  /** How far the WAL was applied when it stopped being fed, and when that was. */
  readonly applied?: { readonly lsn: string; readonly at: string };
  readonly pace?: BuildPace;
}

/** What a build took that went through load and verification in one go. */
export interface BuildPace {
  readonly rows: number;
  readonly loadMs: number;
  readonly verify: VerifyMode;
  readonly verifyMs: number;
  /** The `--rate` that held the load back. */
  readonly rate?: number;
}
