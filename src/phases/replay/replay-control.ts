/** What the verification needs from the running replay. */
export interface ReplayControl {
  /** Stops between two transactions; resolves when nothing is in flight and all that was read is durable. */
  hold(): Promise<void>;
  /**
   * Applies everything with `final_lsn < fenceLsn` and nothing else, then is held again. Lookups of these changes read under
   * `lookupSnapshot`, so that they do not see past the fence.
   */
  runTo(fenceLsn: bigint, lookupSnapshot: string): Promise<void>;
  /** Goes on after a hold. */
  release(): void;
  /** Resolves when everything committed before `lsn` is applied and durable. Throws what stopped the replay. */
  waitUntilApplied(lsn: bigint): Promise<void>;
  /** A bounded random sample of keys (texts of the key columns) changed during this run. */
  changedKeys(): readonly (readonly string[])[];
  /** Likewise of keys deleted (or left behind by a key change) during this run. */
  deletedKeys(): readonly (readonly string[])[];
}
