import { Failure } from '../../core/failure.ts';

/** Collects what is wrong with the command line, so that one run shows all of it. */
export class FlagMistakes {
  readonly #found: Failure[] = [];

  /** What `read` returns; if it throws a `Failure`, that is noted and `instead` stands in until `throwIfAny`. */
  read<Value>(read: () => Value, instead: Value): Value {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#found.push(error);
      return instead;
    }
  }

  /** Throws the one mistake as it is, several as one `usage` failure with a line for each. */
  throwIfAny(): void {
    const [first, second] = this.#found;
    if (first === undefined) return;
    if (second === undefined) throw first;
    const lines = this.#found.map(({ message }) => `  ${message}`);
    const hint = first.hint === undefined ? {} : { hint: first.hint };
    throw new Failure('usage', [`${lines.length} mistakes on the command line:`, ...lines].join('\n'), { ...hint, cause: first });
  }
}
