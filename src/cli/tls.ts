import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type { SslMode } from './config/schema.ts';

/** TLS options for node-postgres, complete: with them it reads neither `PGSSLMODE` nor the URL (docs/servers.md C5, C6). */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export interface TlsRequest {
  readonly host: string;
  /** null: not said anywhere. */
  readonly mode: SslMode | null;
  /** PEM texts, already read. `ca` null: the CAs that Node ships with. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export type TlsDecision =
  | { readonly kind: 'plain'; readonly label: string }
  | { readonly kind: 'tls'; readonly label: string; readonly options: TlsOptions }
  | { readonly kind: 'refused'; readonly reason: string };

/** True for hosts that no network lies before: Unix sockets and the loopback. */
export function isLocalHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare.startsWith('/') || bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * libpq's meaning of `sslmode` (https://www.postgresql.org/docs/current/libpq-ssl.html, table 32.1). node-postgres means something else by the
 * same words: there `require` verifies and `prefer` never falls back. Differences from libpq, on purpose: the default for other hosts is
 * `verify-full` instead of `prefer`, and the two modes that fall back to plain text are refused.
 */
export function resolveTls(request: TlsRequest): TlsDecision {
  const mode = request.mode ?? (isLocalHost(request.host) ? 'disable' : 'verify-full');
  if (request.host.startsWith('/')) return { kind: 'plain', label: 'none (Unix socket)' };
  switch (mode) {
    case 'disable':
      return { kind: 'plain', label: isLocalHost(request.host) ? 'off (local)' : 'off' };
    case 'allow':
    case 'prefer':
      return {
        kind: 'refused',
        reason: `sslmode ${mode} may fall back to plain text without a word, so it protects nothing; write verify-full, require (encrypted, server not verified) or disable`,
      };
    case 'require':
      // libpq: with a root certificate `require` behaves like `verify-ca`.
      return request.ca === null ? tls(mode, request, { rejectUnauthorized: false }) : tls(mode, request, withoutHostCheck());
    case 'verify-ca':
      if (request.ca === null) return { kind: 'refused', reason: 'sslmode verify-ca needs sslrootcert: which CA should it trust?' };
      return tls(mode, request, withoutHostCheck());
    case 'verify-full':
      return tls(mode, request, { rejectUnauthorized: true });
  }
}

function withoutHostCheck(): TlsOptions {
  return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
}

function tls(mode: SslMode, request: TlsRequest, base: TlsOptions): TlsDecision {
  const { ca, cert, key } = request;
  if ((cert === null) !== (key === null)) return { kind: 'refused', reason: 'sslcert and sslkey belong together: give both or none' };
  const certificates = { ...(ca === null ? {} : { ca }), ...(cert === null || key === null ? {} : { cert, key }) };
  return { kind: 'tls', label: mode, options: { ...base, ...certificates } };
}
