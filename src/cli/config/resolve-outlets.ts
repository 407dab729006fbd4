import { resolve } from 'node:path';
import { NOTICE_OCCASIONS, type NoticeOccasion } from '../notices/notice.ts';
import type { WebhookTarget } from '../notices/webhook.ts';
import { isLocalHost } from '../tls.ts';
import { environmentSecret, type ResolveContext, readNamedSecret } from './connection-files.ts';
import { parseDuration } from './quantity.ts';
import type { HooksFile, MetricsFile } from './schema.ts';

export interface SwapHook {
  /** Absolute path of a program. */
  readonly script: string;
  readonly timeoutMs: number;
}

/** Where a run tells of itself besides its output, and who is asked before the swap. */
export interface Outlets {
  readonly textfile: string | null;
  readonly pushgateway: URL | null;
  readonly webhook: WebhookTarget | null;
  /** Signs the notices of `--webhook` too. */
  readonly webhookSecret: string | null;
  readonly beforeSwap: SwapHook | null;
}

export const NO_OUTLETS: Outlets = { textfile: null, pushgateway: null, webhook: null, webhookSecret: null, beforeSwap: null };

const HOOK_TIMEOUT = '5m';
const SECRET_PATH_LENGTH = 16;
/** A success is what is expected: it is told to those who ask for it. */
export const DEFAULT_OCCASIONS: ReadonlySet<NoticeOccasion> = new Set(NOTICE_OCCASIONS.filter((occasion) => occasion !== 'succeeded'));

/** `hooks` and `metrics` of the file; mistakes go to the context's problems. */
export function resolveOutlets(hooks: HooksFile, metrics: MetricsFile, context: ResolveContext): Outlets {
  const { beforeSwap, beforeSwapTimeout, webhook } = hooks;
  const secretPath = ['hooks', 'webhook', 'secretFile'];
  const fromFile = webhook?.secretFile === undefined ? null : readNamedSecret(context, secretPath, webhook.secretFile);
  const webhookSecret = environmentSecret(context, 'REALIGN_WEBHOOK_SECRET') ?? fromFile;
  if (webhookSecret !== null) context.registerSecret(webhookSecret, []);
  if (beforeSwapTimeout !== undefined && beforeSwap === undefined) context.problems.add(['hooks', 'beforeSwapTimeout'], 'there is no beforeSwap');
  const url = webhook === undefined ? null : urlOf(webhook.url, ['hooks', 'webhook', 'url'], noticeUrlProblem, context);
  const on = webhook?.on === undefined ? DEFAULT_OCCASIONS : new Set(webhook.on);
  return Object.freeze({
    textfile: metrics.textfile === undefined ? null : resolve(context.directory, metrics.textfile),
    pushgateway: metrics.pushgateway === undefined ? null : urlOf(metrics.pushgateway, ['metrics', 'pushgateway'], pushUrlProblem, context),
    webhook: url === null ? null : { url, on, secret: webhookSecret },
    webhookSecret,
    beforeSwap:
      beforeSwap === undefined
        ? null
        : { script: resolve(context.directory, beforeSwap), timeoutMs: parseDuration(beforeSwapTimeout ?? HOOK_TIMEOUT) ?? 0 },
  });
}

/** Why a URL cannot take notices; null if it can. They go over TLS, except on the same machine. */
export function noticeUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'expected a URL such as https://hooks.example.com/…';
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:' || (protocol === 'http:' && isLocalHost(hostname))) return null;
  return 'notices are sent by https only (by http to this machine)';
}

/** Why a URL cannot be a Pushgateway's; null if it can. */
export function pushUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'expected a URL such as http://pushgateway.internal:9091';
  const { protocol, hostname, username, search } = new URL(text);
  if (!/^https?:$/.test(protocol) || search !== '') return 'expected a URL such as http://pushgateway.internal:9091';
  return username !== '' && protocol === 'http:' && !isLocalHost(hostname) ? 'a password over plain http can be read by others; use https' : null;
}

/** What of a webhook's URL must not be shown: its path and query are what lets one post to it. A short path is no secret, and would be cut out of other words. */
export function secretsOf(url: URL): readonly string[] {
  const path = `${url.pathname}${url.search}`;
  return [url.href, ...(path.length < SECRET_PATH_LENGTH ? [] : [path])];
}

function urlOf(text: string, path: readonly string[], problemOf: (text: string) => string | null, context: ResolveContext): URL | null {
  const problem = problemOf(text);
  if (problem !== null) {
    context.problems.add(path, problem);
    return null;
  }
  const url = new URL(text);
  for (const secret of path[0] === 'hooks' ? secretsOf(url) : []) context.registerSecret(secret, []);
  return url;
}
