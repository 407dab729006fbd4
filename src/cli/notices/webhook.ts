import { createHmac } from 'node:crypto';
import type { Notice, NoticeOccasion } from './notice.ts';
import { post } from './post.ts';

export interface WebhookTarget {
  readonly url: URL;
  readonly on: ReadonlySet<NoticeOccasion>;
  /** Signs each request; null: not signed. */
  readonly secret: string | null;
}

/**
 * Sends a notice. With a secret the request carries `Realign-Timestamp` (Unix seconds) and `Realign-Signature: v1=` + hex HMAC-SHA256 of `TIMESTAMP.BODY`, so that a receiver can
 * refuse forged and old ones. Throws an error that names the host and what it answered.
 */
export async function sendNotice({ url, secret }: WebhookTarget, notice: Notice, nowSeconds: number, timeoutMs?: number): Promise<void> {
  const body = JSON.stringify(notice);
  const timestamp = String(Math.floor(nowSeconds));
  const signature = secret === null ? {} : { 'realign-timestamp': timestamp, 'realign-signature': `v1=${sign(secret, timestamp, body)}` };
  await post(url, body, { 'content-type': 'application/json', 'user-agent': 'realign', ...signature }, timeoutMs);
}

function sign(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}
