import type { SeenEpoch } from './bulk-epoch.ts';
import type { BulkMove, BulkSetting } from './bulk-setting.ts';

/** A setting that the tuner has come to rest at, and what the rate depends on there. */
export interface TunedBulks extends BulkSetting {
  readonly bytesPerSecond: number;
  readonly limit: 'sink' | 'source';
}

/** What the tuner is about. */
export type TunerMode =
  /** The rate of the accepted setting, to compare with. `again`: so often it came to nothing. */
  | { readonly at: 'measuring'; readonly again: number }
  | { readonly at: 'trying'; readonly move: BulkMove; readonly setting: BulkSetting; readonly base: SeenEpoch }
  /** It may pay: the accepted setting once more, in case the sink has become faster by itself. */
  | { readonly at: 'confirming'; readonly move: BulkMove; readonly setting: BulkSetting; readonly tried: SeenEpoch }
  | { readonly at: 'settled'; readonly limit: TunedBulks['limit']; readonly bytesPerMs: number; readonly until: number; readonly odd: number };
