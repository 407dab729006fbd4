/** Texts that the input functions of arrays, composites and ranges take; every part is quoted, which they all accept. */
export function arrayLiteral(elements: readonly (string | null)[], delimiter = ','): string {
  return `{${elements.map((element) => (element === null ? 'NULL' : quoteInArray(element))).join(delimiter)}}`;
}

/** Rows of equal length. */
export function matrixLiteral(rows: readonly (readonly (string | null)[])[]): string {
  return `{${rows.map((row) => arrayLiteral(row)).join(',')}}`;
}

export function compositeLiteral(attributes: readonly (string | null)[]): string {
  return `(${attributes.map((attribute) => (attribute === null ? '' : quoteByDoubling(attribute))).join(',')})`;
}

export interface RangeParts {
  readonly lower: string | null;
  readonly upper: string | null;
  readonly open: '[' | '(';
  readonly close: ']' | ')';
}

export function rangeLiteral({ lower, upper, open, close }: RangeParts): string {
  return `${open}${lower === null ? '' : quoteByDoubling(lower)},${upper === null ? '' : quoteByDoubling(upper)}${close}`;
}

export function hstoreLiteral(content: readonly (readonly [string, string | null])[]): string {
  return content.map(([key, value]) => `${quoteInArray(key)}=>${value === null ? 'NULL' : quoteInArray(value)}`).join(',');
}

const quoteInArray = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
const quoteByDoubling = (text: string): string => `"${text.replace(/["\\]/g, '$&$&')}"`;
