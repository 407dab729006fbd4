import type { Finding } from '../../core/finding.ts';
import type { SinkPreflightRequest } from '../../phases/sink-ports.ts';
import type { Http } from '../connect.ts';
import { type FlatSettings, flattenSettings } from '../settings.ts';
import { fail, ok, warn } from './findings.ts';
import { matchesPattern } from './names.ts';

/** What templates would do to the new index: a matching one may attach the live alias to it while it is still empty (docs/servers.md E26). */
export async function checkTemplates(http: Http, request: SinkPreflightRequest): Promise<readonly Finding[]> {
  const [composable, legacy] = await Promise.all([matchingComposable(http, request.index), matchingLegacy(http, request.index)]);
  if (composable === undefined || legacy === undefined) return [unknownFinding()];
  if (composable?.body.data_stream !== undefined) return [dataStreamFinding(composable.name, request.index)];
  // A composable template switches all legacy ones off.
  if (composable === null)
    return legacy.length === 0
      ? [ok('templates', 'no index template matches the new index')]
      : legacy.flatMap((template) => judgeTemplate(request, template.name, template.body));
  const simulated = await simulate(http, request.index);
  return simulated === null ? [unknownFinding()] : judgeTemplate(request, composable.name, simulated);
}

interface Effects {
  readonly aliases?: { readonly [alias: string]: unknown };
  readonly settings?: { readonly [name: string]: unknown };
  readonly mappings?: object;
}

/** Pure, for tests: what a matching template with this body means for the build. */
export function judgeTemplate(request: SinkPreflightRequest, template: string, body: Effects): readonly Finding[] {
  const settings = flattenSettings(body.settings ?? {});
  const wanted = flattenSettings(request.settings);
  const findings = [
    aliasesEffect(request, template, body),
    lifecycleEffect(template, settings, wanted),
    pipelineEffect(template, settings, wanted),
    mappingEffect(template, body),
  ];
  const found = [...findings, ...ignoredEffects(template, settings, wanted)].filter((finding) => finding !== null);
  return found.length === 0 ? [ok('templates', `index template "${template}" matches the new index and does it no harm`)] : found;
}

function aliasesEffect({ index }: SinkPreflightRequest, template: string, body: Effects): Finding | null {
  const aliases = Object.keys(body.aliases ?? {});
  if (aliases.length === 0) return null;
  return fail(
    'template-aliases',
    `index template "${template}" attaches ${aliases.join(', ')} to ${index}: readers would see the unfinished index`,
    `remove the aliases from the template, or exclude ${index.replace(/-[^-]*-[^-]*$/, '-*')} from it`,
  );
}

function lifecycleEffect(template: string, settings: FlatSettings, wanted: FlatSettings): Finding | null {
  const name = settings['index.lifecycle.name'];
  if (name === undefined || name === null || 'index.lifecycle.name' in wanted) return null;
  return fail(
    'template-lifecycle',
    `index template "${template}" sets index.lifecycle.name=${String(name)}: ILM could roll over, shrink or delete the new index`,
    'exclude these indices from the template, or set settings.index.lifecycle.name: null',
  );
}

function pipelineEffect(template: string, settings: FlatSettings, wanted: FlatSettings): Finding | null {
  const name = settings['index.final_pipeline'];
  if (name === undefined || name === '_none' || 'index.final_pipeline' in wanted) return null;
  return warn(
    'template-pipeline',
    `index template "${template}" sets index.final_pipeline=${String(name)}: it would change documents, so the new index is made without it`,
    'set settings.index.final_pipeline to have it after the build',
  );
}

function mappingEffect(template: string, body: Effects): Finding | null {
  if (Object.keys(body.mappings ?? {}).length === 0) return null;
  return warn(
    'template-mapping',
    `index template "${template}" has a mapping: an index with fields that were not asked for is refused`,
    'exclude these indices from the template',
  );
}

/** Settings of the template that the build sets to values of its own. */
function ignoredEffects(template: string, settings: FlatSettings, wanted: FlatSettings): readonly Finding[] {
  const names = ['index.number_of_replicas', 'index.refresh_interval', 'index.auto_expand_replicas'];
  const ignored = names.filter((name) => settings[name] !== undefined && !(name in wanted));
  return ignored.map((name) =>
    warn(
      'template-settings',
      `index template "${template}" sets ${name}=${String(settings[name])}, which the build does not take over`,
      `name it in the config: settings.${name.slice('index.'.length)}`,
    ),
  );
}

function unknownFinding(): Finding {
  return warn(
    'templates',
    'index templates could not be read, so it is unknown what they would add to the new index',
    'grant the cluster privilege manage_index_templates; the new index is checked after it is made',
  );
}

function dataStreamFinding(template: string, index: string): Finding {
  return fail(
    'template-data-stream',
    `index template "${template}" makes data streams only, and matches ${index}`,
    'exclude these indices from the template',
  );
}

interface Composable {
  readonly name: string;
  readonly index_template: { readonly index_patterns: readonly string[] | string; readonly priority?: number; readonly data_stream?: object };
}

/** The composable template with the highest priority; null if none matches, undefined if they cannot be read. */
async function matchingComposable(
  http: Http,
  index: string,
): Promise<{ readonly name: string; readonly body: Composable['index_template'] } | null | undefined> {
  const answer = await http.json({ what: 'reading the index templates', method: 'GET', path: '/_index_template' }, UNREADABLE);
  if (answer === null) return undefined;
  const matching = (answer as { readonly index_templates: readonly Composable[] }).index_templates.filter(({ index_template: body }) =>
    matchesAny(body.index_patterns, index),
  );
  const [best] = matching.sort((a, b) => (b.index_template.priority ?? 0) - (a.index_template.priority ?? 0));
  return best === undefined ? null : { name: best.name, body: best.index_template };
}

type Legacy = Effects & { readonly index_patterns: readonly string[] | string };

async function matchingLegacy(http: Http, index: string): Promise<readonly { readonly name: string; readonly body: Legacy }[] | undefined> {
  const answer = await http.json({ what: 'reading the legacy templates', method: 'GET', path: '/_template' }, UNREADABLE);
  if (answer === null) return undefined;
  return Object.entries(answer as { readonly [name: string]: Legacy })
    .filter(([, body]) => matchesAny(body.index_patterns, index))
    .map(([name, body]) => ({ name, body }));
}

async function simulate(http: Http, index: string): Promise<Effects | null> {
  const path = `/_index_template/_simulate_index/${encodeURIComponent(index)}`;
  const answer = await http.json({ what: 'simulating the index templates', method: 'POST', path }, UNREADABLE);
  return answer === null ? null : ((answer as { readonly template?: Effects }).template ?? {});
}

/** No such endpoint in this distribution, or no privilege for it: not knowing is a warning, not the end. */
const UNREADABLE = [400, 403, 404, 405];

function matchesAny(patterns: readonly string[] | string, name: string): boolean {
  return [patterns].flat().some((pattern) => matchesPattern(pattern, name));
}
