import { Failure } from '../../core/failure.ts';

/** Where in the config, as keys from the top: `['indices', 'products', 'table']`. */
export type ConfigPath = readonly (string | number)[];

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Finds a place in the file; the loader gives the one of its YAML document. */
export interface Locator {
  /** 1-based line and column of the value at a path (or of its nearest parent). */
  locate(path: ConfigPath): { readonly line: number; readonly column: number };
}

/** Collects every mistake, so that one run shows all of them. */
export class Problems {
  readonly #fileName: string;
  readonly #found: Problem[] = [];
  readonly #elsewhere: string[] = [];
  #locator: Locator | null = null;

  readonly #hint: string;

  constructor(fileName: string, hint = 'Nothing was contacted. `realign schema` prints every key that exists.') {
    this.#fileName = fileName;
    this.#hint = hint;
  }

  /** From now on paths have lines and columns. */
  useLocator(locator: Locator): void {
    this.#locator = locator;
  }

  /** One place, one mistake: a value that is missing because its variable is not set would be reported twice. */
  addAt(line: number, column: number, text: string): void {
    if (this.#found.some((problem) => problem.line === line && problem.column === column)) return;
    this.#found.push({ line, column, text });
  }

  /** The same for mistakes of which one place may have several. */
  addBeside(line: number, column: number, text: string): void {
    this.#found.push({ line, column, text });
  }

  /** A mistake at a key of the file; without a file (or for a value from the environment) it has no line. */
  add(path: ConfigPath, text: string): void {
    const name = path.length === 0 ? '' : `${path.join('.')}: `;
    if (this.#locator === null) this.#elsewhere.push(`${name}${text}`);
    else {
      const { line, column } = this.#locator.locate(path);
      this.addAt(line, column, `${name}${text}`);
    }
  }

  /** A mistake outside the file, e.g. in an environment variable. */
  addElsewhere(text: string): void {
    this.#elsewhere.push(text);
  }

  get count(): number {
    return this.#found.length + this.#elsewhere.length;
  }

  /** Throws one `config` failure with all mistakes in the order of the file. */
  throwIfAny(): void {
    const failure = this.failure();
    if (failure !== null) throw failure;
  }

  /** The same failure, or null without a mistake. */
  failure(): Failure | null {
    if (this.count === 0) return null;
    const placed = this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const lines = placed.map((problem) => `  ${this.#fileName}:${problem.line}:${problem.column}  ${problem.text}`);
    lines.push(...this.#elsewhere.map((text) => `  ${text}`));
    const title = lines.length === 1 ? '1 mistake in the configuration' : `${lines.length} mistakes in the configuration`;
    return new Failure('config', [`${title}:`, ...lines].join('\n'), { hint: this.#hint });
  }
}
