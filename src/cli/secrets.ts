import { escapedJson } from './escaped-json.ts';
import { visible } from './report/visible-text.ts';

/**
 * Removes secrets from everything that leaves the program. It works on the text at the write stream, because redaction by log path misses
 * secrets inside messages, URLs, stacks and nested driver errors (measured with pino: five of eight planted ones).
 */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:@/"'<>]*):[^\s"'<>]*?@(?=[^\s@"'<>]*(?:[\s"'<>]|$))/gi;
const AUTHORIZATION = /\b(ApiKey|Basic|Bearer)\s+[A-Za-z0-9+/=_.~-]{8,}/g;
const MASK = '***';
/** Shorter ones would be cut out of ordinary words and show by that what they are. */
const SHORTEST = 4;

export class SecretScrubber {
  #forms: readonly string[] = [];

  /**
   * From now on this secret is replaced, as it is and in the forms it takes in JSON, URLs and headers. `publicWords` (user, database) stay
   * readable even if the password is the same word: cutting them out would say so.
   */
  add(secret: string, publicWords: readonly string[] = []): void {
    if (secret.length < SHORTEST || publicWords.includes(secret)) return;
    const inJson = JSON.stringify(secret).slice(1, -1);
    const forms = [secret, visible(secret), inJson, escapedJson(inJson), visible(inJson), encodeURIComponent(secret), encodeURI(secret)];
    for (const user of publicWords) forms.push(Buffer.from(`${user}:${secret}`).toString('base64'));
    // The longest first, or a secret that contains another one would be cut in half.
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((a, b) => b.length - a.length);
  }

  scrub(text: string): string {
    let clean = text;
    for (const form of this.#forms) clean = clean.replaceAll(form, MASK);
    return clean.replace(URL_PASSWORD, `$1:${MASK}@`).replace(AUTHORIZATION, `$1 ${MASK}`);
  }
}
