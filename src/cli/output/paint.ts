/** Colours for a terminal; the text says the same without them. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

/** `enabled` is false with `--no-color`, `NO_COLOR`, `TERM=dumb` and where the stream is not a terminal. */
export function paintFor(enabled: boolean): Paint {
  const code = (open: number, close: number) => (text: string) => (enabled ? `\u001b[${open}m${text}\u001b[${close}m` : text);
  return { good: code(32, 39), bad: code(31, 39), warn: code(33, 39), faint: code(2, 22), strong: code(1, 22) };
}
