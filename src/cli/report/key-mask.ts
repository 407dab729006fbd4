import { createHash, randomBytes } from 'node:crypto';

export type ShowValues = 'none' | 'truncated' | 'full';

export interface MaskRequest {
  readonly hashKeys: boolean;
  readonly showValues: ShowValues;
}

export interface FieldValues {
  readonly field: string;
  readonly postgres: string;
  readonly elasticsearch: string;
}

const TRUNCATED_LENGTH = 40;
const HASH_DIGITS = 16;

/** Decides what of keys and values gets into a report. A key may be personal (an e-mail address), so it can be hashed; values stay out unless asked for. */
export class KeyMask {
  readonly hashed: boolean;
  /** New for each report: hashes of two reports cannot be joined, and whoever has the table can still find a row by it. */
  readonly salt: string;
  readonly #showValues: ShowValues;

  constructor({ hashKeys, showValues }: MaskRequest, salt: string = randomBytes(8).toString('hex')) {
    this.hashed = hashKeys;
    this.salt = hashKeys ? salt : '';
    this.#showValues = showValues;
  }

  key(id: string): string {
    if (!this.hashed) return id;
    return createHash('sha256').update(`${this.salt}:${id}`).digest('hex').slice(0, HASH_DIGITS);
  }

  values(values: readonly FieldValues[]): readonly FieldValues[] {
    if (this.#showValues === 'none') return [];
    return values.map(({ field, postgres, elasticsearch }) => ({
      field,
      postgres: this.#value(postgres),
      elasticsearch: this.#value(elasticsearch),
    }));
  }

  #value(value: string): string {
    return this.#showValues === 'full' || value.length <= TRUNCATED_LENGTH ? value : `${value.slice(0, TRUNCATED_LENGTH)}…`;
  }
}
