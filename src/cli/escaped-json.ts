/**
 * JSON text in which nothing can steer a terminal or rearrange what a reader sees (CVE-2021-42574): JSON.stringify leaves DEL, the controls behind it
 * and the marks of writing direction as they are. The same values for every parser. Line ends between tokens stay.
 */
export function escapedJson(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
