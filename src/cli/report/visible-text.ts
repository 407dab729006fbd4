/**
 * Text of others (keys, reasons, names) made safe for a page, a file or a terminal. Characters that cannot be seen, that turn the direction of writing, or that XML forbids are
 * shown as `\u{202e}`: a key must not be able to rearrange the report it is named in (CVE-2021-42574).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFE\uFFFF\u115F\u1160\u3164\uFFA0]/gu;

export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const reference = (mark: string): string => `&#${mark.charCodeAt(0)};`;

/** For HTML text and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, reference);
}

/** For XML text and attributes. Lines stay lines, by reference: inside an attribute a bare line end would be read as a space. */
export function escapeXml(text: string): string {
  return text.split('\n').map(escapeHtml).join('&#10;');
}

/**
 * Text that Markdown (GitHub's and GitLab's, also in a table) shows as it is: marks that could be syntax are character references, those that are only at the start of a line or
 * in a link only there.
 */
export function escapeMarkdown(text: string): string {
  return visible(text)
    .replace(/[\\`*_{}[\]<>()#+!|~&@$"']/g, reference)
    .replace(/:(?=\/)|(?<=www)\./gi, reference)
    .replace(/^(\s*\d*)([-=.])/, (_, before: string, mark: string) => before + reference(mark));
}

/** A code span that no content can leave; nobody is notified by an @name in it. */
export function codeMarkdown(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}
