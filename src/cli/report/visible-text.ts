/**
 * Text of others (keys, reasons, names) made safe for a page, a file or a terminal. Characters that cannot be seen, that turn the direction of writing, or that XML forbids are
 * shown as `\u{202e}`: a key must not be able to rearrange the report it is named in (CVE-2021-42574).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFE\uFFFF\u115F\u1160\u3164\uFFA0]/gu;

export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same, but lines stay lines: for messages of ours. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** For HTML text and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return visibleLines(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** For XML text and attributes; a line end inside an attribute would be read as a space. */
export function escapeXml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '&#10;');
}

/** Text that Markdown (GitHub's and GitLab's, also in a table) shows as it is: every mark that could be syntax is a character reference. */
export function escapeMarkdown(text: string): string {
  return visible(text).replace(/[!-/:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A code span that no content can leave; nobody is notified by an @name in it. */
export function codeMarkdown(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}
