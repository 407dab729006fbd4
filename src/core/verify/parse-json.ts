const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const BACKSLASH = 0x5c;

/** What becomes of the parts of a JSON text. */
export interface JsonParts<Value> {
  /** The digits as they are written. */
  number(text: string): Value;
  /** A key that the object has already. */
  repeated(earlier: Value, value: Value): Value;
}

/**
 * Parses JSON without rounding a number and without losing a key. Strings are handed whole to the engine's own parser: one that puts them together character by character
 * takes a gigabyte and minutes for a document of 50 MB. Throws `SyntaxError` for what is not JSON, `RangeError` when it is nested deeper than the stack.
 */
export function parseJsonText<Value>(text: string, parts: JsonParts<Value>): Value | string | boolean | null {
  const reader = new JsonReader(text, parts);
  const value = reader.value();
  if (reader.at !== text.length) throw reader.unexpected();
  return value;
}

class JsonReader<Value> {
  at = 0;
  readonly #text: string;
  readonly #parts: JsonParts<Value>;

  constructor(text: string, parts: JsonParts<Value>) {
    this.#text = text;
    this.#parts = parts;
  }

  /** The value at this place, with the white space around it. */
  value(): Value {
    this.#space();
    const value = this.#bare();
    this.#space();
    return value as Value;
  }

  unexpected(): SyntaxError {
    return new SyntaxError(`not JSON at character ${this.at}`);
  }

  #bare(): unknown {
    switch (this.#text[this.at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(): unknown {
    const object: { [key: string]: unknown } = {};
    this.#list('}', () => {
      this.#space();
      const key = this.#string();
      this.#space();
      this.#eat(':');
      const value = this.value();
      const whole = Object.hasOwn(object, key) ? this.#parts.repeated(object[key] as Value, value) : value;
      // Not by assignment: `__proto__` is an ordinary key of somebody's jsonb.
      Object.defineProperty(object, key, { value: whole, writable: true, enumerable: true, configurable: true });
    });
    return object;
  }

  #array(): unknown {
    const array: unknown[] = [];
    this.#list(']', () => void array.push(this.value()));
    return array;
  }

  /** From the opening bracket past the closing one. */
  #list(close: string, entry: () => void): void {
    this.at++;
    this.#space();
    if (this.#text[this.at] !== close) {
      entry();
      while (this.#text[this.at] === ',') {
        this.at++;
        entry();
      }
    }
    this.#eat(close);
  }

  #string(): string {
    if (this.#text[this.at] !== '"') throw this.unexpected();
    const start = this.at;
    let end = this.#text.indexOf('"', start + 1);
    while (end > 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) throw this.unexpected();
    this.at = end + 1;
    return JSON.parse(this.#text.slice(start, end + 1)) as string;
  }

  #isEscaped(quote: number): boolean {
    let before = quote;
    while (this.#text.charCodeAt(before - 1) === BACKSLASH) before--;
    return (quote - before) % 2 === 1;
  }

  #number(): Value {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.#text)?.[0];
    if (found === undefined) throw this.unexpected();
    this.at += found.length;
    return this.#parts.number(found);
  }

  #word<Meant>(word: string, meant: Meant): Meant {
    if (!this.#text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    return meant;
  }

  #eat(character: string): void {
    if (this.#text[this.at] !== character) throw this.unexpected();
    this.at++;
  }

  #space(): void {
    SPACE.lastIndex = this.at;
    this.at += SPACE.exec(this.#text)?.[0].length ?? 0;
  }
}
