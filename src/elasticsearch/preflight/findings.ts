import type { Finding } from '../../core/finding.ts';
import type { IndexSettings } from '../../phases/sink-ports.ts';

export interface PreflightRequest {
  readonly alias: string;
  readonly index: string;
  readonly settings: IndexSettings;
  readonly adopt: boolean;
  readonly sourceBytes: number;
}

export function ok(code: string, message: string): Finding {
  return { level: 'ok', side: 'elasticsearch', code, message };
}

export function warn(code: string, message: string, fix: string): Finding {
  return { level: 'warn', side: 'elasticsearch', code, message, fix };
}

export function fail(code: string, message: string, fix: string): Finding {
  return { level: 'fail', side: 'elasticsearch', code, message, fix };
}
