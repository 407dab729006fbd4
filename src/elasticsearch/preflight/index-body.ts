import type { Finding } from '../../core/finding.ts';
import type { SinkPreflightRequest } from '../../phases/sink-ports.ts';
import type { Http } from '../connect.ts';
import { failureOf, innermostReason, serverError } from '../error-kinds.ts';
import { flattenSettings } from '../settings.ts';
import { fail, ok, warn } from './findings.ts';

type Properties = { readonly [field: string]: object };
type Verdict = { readonly kind: 'accepted' } | { readonly kind: 'unknown' } | { readonly kind: 'refused'; readonly reason: string };

/** Above every template of an operator: with equal priorities the server would refuse ours for the overlap alone. */
const PRIORITY = Number.MAX_SAFE_INTEGER;
/** One request for each field, only once something is known to be wrong. */
const MOST_FIELDS = 200;

/**
 * Whether the server takes the mapping and the settings: it is asked to simulate an index template of them, which parses everything (field types, analyzers, values of settings)
 * as for a new index and makes nothing (docs/servers.md E26). A refusal is told field by field.
 */
export async function checkIndexBody(http: Http, request: SinkPreflightRequest): Promise<readonly Finding[]> {
  const { mapping } = request;
  if (mapping === undefined) return [];
  const whole = await simulate(http, request, mapping);
  if (whole.kind === 'accepted') return [ok('mapping', 'the server accepts the mapping and the settings')];
  if (whole.kind === 'unknown') return [unknownFinding()];
  const settings = await simulate(http, request, {});
  if (settings.kind === 'refused') return [settingsFinding(settings.reason)];
  const fields = await refusedFields(http, request, (mapping.properties ?? {}) as Properties);
  return fields.length > 0
    ? fields
    : [fail('mapping', `Elasticsearch refuses the mapping: ${whole.reason}`, 'Correct mapping in the config.', ['mapping'])];
}

async function refusedFields(http: Http, request: SinkPreflightRequest, properties: Properties): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  // An alias of another field is refused alone, though nothing is wrong with it.
  const fields = Object.entries(properties).filter(([, field]) => (field as { readonly type?: unknown }).type !== 'alias');
  for (const [name, field] of fields.slice(0, MOST_FIELDS)) {
    const verdict = await simulate(http, request, { properties: { [name]: field } });
    if (verdict.kind === 'refused') findings.push(fieldFinding(name, field, verdict.reason));
  }
  return findings;
}

function fieldFinding(name: string, field: object, reason: string): Finding {
  const seen = JSON.stringify(field);
  const shown = seen.length > 200 ? `${seen.slice(0, 199)}…` : seen;
  const fix = `Correct fields.${name} (or mapping) in the config; without it the mapping is inferred from the column.`;
  return fail('mapping', `field "${name}": Elasticsearch refuses ${shown}: ${reason}`, fix, ['fields', name]);
}

function settingsFinding(reason: string): Finding {
  return fail('settings', `Elasticsearch refuses the settings: ${reason}`, 'Correct settings in the config.', ['settings']);
}

function unknownFinding(): Finding {
  return warn(
    'mapping',
    'mapping and settings could not be tried: this user may not simulate index templates',
    'grant the cluster privilege manage_index_templates to have mistakes in them told here; otherwise they are told when the index is made, before anything is loaded',
  );
}

async function simulate(http: Http, request: SinkPreflightRequest, mappings: object): Promise<Verdict> {
  const what = 'trying the mapping and the settings';
  const body = { index_patterns: [request.index], priority: PRIORITY, template: { settings: settingsOf(request), mappings } };
  const answer = await http.send({ what, method: 'POST', path: '/_index_template/_simulate', body });
  const text = answer.body?.toString('utf8') ?? '';
  if (answer.status < 300) return { kind: 'accepted' };
  if (answer.status === 400) return { kind: 'refused', reason: innermostReason(text) };
  if (UNAVAILABLE.includes(answer.status)) return { kind: 'unknown' };
  throw failureOf(serverError(answer.status, text), what, true);
}

/** No such endpoint in this distribution, or no privilege for it. */
const UNAVAILABLE = [403, 404, 405];

/** A null takes a template's setting away when the index is made; on its own it is nothing. */
function settingsOf({ settings }: SinkPreflightRequest): object {
  return Object.fromEntries(Object.entries(flattenSettings(settings)).filter(([, value]) => value !== null && value !== undefined));
}
