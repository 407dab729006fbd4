import { newestUsableElasticsearch } from './java.mjs';

const INSTANCE = /^[a-z0-9][a-z0-9-]{0,40}$/;
const PG_VERSIONS = ['14', '15', '16', '17', '18'];
const ES_VERSIONS = ['8.18.8', '9.0.8'];

function oneOf(name, value, allowed) {
  if (!allowed.includes(value)) throw new Error(`${name}=${value} is not one of ${allowed.join(', ')}`);
  return value;
}

function integer(name, text, min, max) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) throw new Error(`${name}=${text} is not a whole number from ${min} to ${max}`);
  return value;
}

/** "k=v k=v" → [["k", "v"], …]; values hold no spaces. */
function pairs(name, text) {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new Error(`${name}: "${word}" is not of the form key=value`);
      return [word.slice(0, at), word.slice(at + 1)];
    });
}

/** Reads what is wanted from the environment; `explicit` holds only what was really named there. */
export function settingsFromEnvironment(env) {
  const instance = env.INSTANCE || 'default';
  if (!INSTANCE.test(instance)) throw new Error(`INSTANCE=${instance} may hold lower-case letters, digits and dashes only`);
  return {
    instance,
    runtime: env.SERVICES ? oneOf('SERVICES', env.SERVICES, ['docker', 'local']) : undefined,
    pgVersion: oneOf('PG_VERSION', env.PG_VERSION || '17', PG_VERSIONS),
    pgPort: integer('PG_PORT', env.PG_PORT || '55432', 0, 65535),
    pgSettings: pairs('PG_SETTINGS', env.PG_SETTINGS ?? ''),
    esVersion: oneOf('ES_VERSION', env.ES_VERSION || newestUsableElasticsearch(), ES_VERSIONS),
    esPort: integer('ES_PORT', env.ES_PORT || '59200', 0, 65535),
    esNodes: integer('ES_NODES', env.ES_NODES || '1', 1, 9),
    esHeap: env.ES_HEAP || '1g',
    esSettings: pairs('ES_SETTINGS', env.ES_SETTINGS ?? ''),
    explicit: { pgVersion: env.PG_VERSION || undefined, esVersion: env.ES_VERSION || undefined, esNodes: env.ES_NODES || undefined },
  };
}
