const POST_TIMEOUT_MS = 10_000;

/**
 * Sends a body and gives the status. It never takes longer than `timeoutMs`, follows no redirect (it would carry the body to a place nobody named), and reads no answer.
 * Throws an error whose message names the host only: the path of a webhook is a secret.
 */
export async function post(url: URL, body: string, headers: { readonly [name: string]: string }, timeoutMs = POST_TIMEOUT_MS): Promise<void> {
  let status: number;
  try {
    const answer = await fetch(withoutUser(url), {
      method: 'POST',
      body,
      headers: { ...headers, ...authorization(url) },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = answer.status;
    await answer.body?.cancel();
  } catch (error) {
    throw new Error(`${url.host} ${reasonOf(error, timeoutMs)}`);
  }
  if (status >= 300 && status < 400) throw new Error(`${url.host} answered with a redirect (${status}), which is not followed`);
  if (status >= 400 || status < 200) throw new Error(`${url.host} answered ${status}`);
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `did not answer within ${timeoutMs / 1000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'connection failed';
  return `could not be reached (${code})`;
}

/** `fetch` refuses URLs with a user in them. */
function withoutUser(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

function authorization(url: URL): { readonly [name: string]: string } {
  if (url.username === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
