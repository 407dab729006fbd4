import { Failure, type FailureKind } from '../core/failure.ts';

/** What an error answer of Elasticsearch says of itself; `reason` may quote document content on document endpoints (docs/servers.md E8). */
export interface ServerError {
  readonly status: number;
  readonly type: string;
  readonly reason: string;
}

interface Kind {
  readonly kind: FailureKind;
  readonly hint: string;
}

const BY_TYPE: { readonly [type: string]: Kind } = {
  cluster_block_exception: {
    kind: 'sink-blocked',
    hint: 'See GET _cluster/settings and GET <index>/_settings for blocks; a full disk releases its block by itself once there is space.',
  },
  es_rejected_execution_exception: {
    kind: 'sink-overloaded',
    hint: 'The cluster is busy; run the same command again later or with a lower --bulk-jobs.',
  },
  circuit_breaking_exception: {
    kind: 'sink-overloaded',
    hint: 'The cluster is short of heap; run the same command again later or with a lower --bulk-bytes.',
  },
  index_not_found_exception: {
    kind: 'target-vanished',
    hint: 'Somebody deleted the index; see the audit log of the cluster, then start a new build.',
  },
  index_closed_exception: { kind: 'target-vanished', hint: 'Somebody closed the index; open it (POST <index>/_open) or start a new build.' },
  search_context_missing_exception: { kind: 'stalled', hint: 'The point in time expired before it was read to its end; run the same command again.' },
  no_shard_available_action_exception: { kind: 'sink-overloaded', hint: 'A shard is missing; see GET _cluster/allocation/explain.' },
  search_phase_execution_exception: { kind: 'sink-overloaded', hint: 'A shard did not answer; see GET _cluster/allocation/explain.' },
  master_not_discovered_exception: { kind: 'sink-overloaded', hint: 'The cluster has no master just now; see GET _cluster/health.' },
  media_type_header_exception: {
    kind: 'preflight-refused',
    hint: 'The server does not speak the protocol of version 8; Elasticsearch 8.x and 9.x are supported.',
  },
};

const BY_STATUS: { readonly [status: number]: Kind } = {
  401: { kind: 'denied', hint: 'Check the API key or user name and password, and that the key has not expired.' },
  403: { kind: 'denied', hint: 'Give the user the role that `realign init --print-es-role` prints.' },
  408: { kind: 'sink-overloaded', hint: 'The cluster did not finish in time; run the same command again.' },
  429: { kind: 'sink-overloaded', hint: 'The cluster is busy; run the same command again later.' },
  502: { kind: 'sink-overloaded', hint: 'The node or a proxy before it is not available; run the same command again later.' },
  503: { kind: 'sink-overloaded', hint: 'The node or a proxy before it is not available; run the same command again later.' },
  504: { kind: 'sink-overloaded', hint: 'The node or a proxy before it is not available; run the same command again later.' },
};

const REFUSED: Kind = { kind: 'sink-refused', hint: 'Elasticsearch does not accept this request; see its log for the details.' };

/** Reads `{"error":{"type","reason"},"status"}` of any error answer; bodies of proxies give the type `http <status>`. */
export function serverError(status: number, body: string): ServerError {
  const error = parseError(body);
  return { status, type: error.type ?? withoutType(status), reason: error.reason ?? '' };
}

function withoutType(status: number): string {
  return `http ${status}`;
}

/**
 * The `Failure` for an error answer, by `error.type` first and status second: a 429 is overload or a flood-stage block, a 403 a block or a
 * missing privilege, and only the type tells which (docs/servers.md E11). With `showReason` the server's reason is quoted: only for
 * requests that carry no documents.
 */
export function failureOf(error: ServerError, what: string, showReason: boolean): Failure {
  const kind = kindOf(error);
  const reason = showReason && error.reason !== '' ? `: ${error.reason}` : '';
  const type = error.type === withoutType(error.status) ? '' : ` ${error.type}`;
  return new Failure(kind.kind, `${what} failed: HTTP ${error.status}${type}${reason}`, { hint: kind.hint });
}

/** The `Failure` for a request that got no usable answer; it may have been carried out all the same. What the client does not know is a bug and stays as it is. */
export function failureOfTransport(error: unknown, what: string): unknown {
  if (!(error instanceof Error)) return error;
  const message = `${what} failed: ${error.message || error.name}`;
  const cause = withoutBody(error);
  switch (error.name) {
    case 'ProductNotSupportedError':
      return new Failure('preflight-refused', `${what} failed: the server does not say that it is Elasticsearch`, { hint: PRODUCT_HINT, cause });
    case 'ConfigurationError':
      return new Failure('config', message, { hint: 'Correct the elasticsearch section of the config.', cause });
    case 'TimeoutError':
    case 'ConnectionError':
    case 'NoLivingConnectionsError':
    case 'RequestAbortedError':
      return new Failure('connection-lost', message, { hint: 'The same request can be sent again.', cause });
    default:
      return error;
  }
}

const PRODUCT_HINT = 'OpenSearch is not supported. Behind a proxy, let the header X-elastic-product through.';

function kindOf(error: ServerError): Kind {
  if (error.type === 'search_phase_execution_exception' && error.status < 429) return REFUSED;
  return BY_TYPE[error.type] ?? BY_STATUS[error.status] ?? REFUSED;
}

/** The server's reason for refusing a mapping or settings, without what is wrapped around it (`template after composition is invalid`). Only for requests without documents. */
export function innermostReason(body: string): string {
  let error = rawError(body);
  while (error?.caused_by !== undefined) error = error.caused_by;
  const reason = typeof error?.reason === 'string' ? error.reason : 'no reason given';
  return reason
    .replace(/^index_template \[[^\]]*\] invalid, cause \[(?:Validation Failed: )?/, '')
    .replace(/;?\]$/, (end) => (end === ';]' ? '' : end));
}

/** The client's errors carry request and response (documents, headers): only name and message go on (docs/servers.md C11). */
function withoutBody(error: Error): Error {
  const plain = new Error(error.message);
  plain.name = error.name;
  return plain;
}

interface RawError {
  readonly type?: unknown;
  readonly reason?: unknown;
  readonly root_cause?: readonly RawError[];
  readonly caused_by?: RawError;
}

/** `search_phase_execution_exception` only wraps: an expired point in time is told by its root cause. */
function parseError(body: string): { readonly type?: string; readonly reason?: string } {
  const error = rawError(body);
  if (error === null) return {};
  const [cause] = error.type === 'search_phase_execution_exception' && Array.isArray(error.root_cause) ? error.root_cause : [];
  const { type, reason } = cause ?? error;
  return { ...(typeof type === 'string' ? { type } : {}), ...(typeof reason === 'string' ? { reason } : {}) };
}

/** Null for bodies that are not Elasticsearch's, a proxy's page for example. */
function rawError(body: string): RawError | null {
  try {
    const error = (JSON.parse(body) as { error?: RawError } | null)?.error;
    return typeof error === 'object' && error !== null ? error : null;
  } catch {
    return null;
  }
}
