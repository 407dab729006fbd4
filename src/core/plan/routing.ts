import type { MappingDifference } from '../audit-report.ts';
import type { DocumentPlan } from '../encode/document-plan.ts';
import { didYouMean } from '../nearest-name.ts';
import type { SourceTable } from '../table.ts';
import type { IndexConfig } from './index-config.ts';

const ROUTING = '_routing';

type Parameters = { readonly [key: string]: unknown };

/** Why documents cannot be routed as the config says, and what mends it. */
export interface RoutingProblem {
  readonly message: string;
  readonly fix: string;
}

/**
 * Null if documents can be routed as the config says. Every write of a row must go to the same shard, or external versions do not protect it, and a delete is told by the
 * key alone: so the routing has to be one of the columns of the id.
 */
export function routingProblem(table: SourceTable, config: IndexConfig): RoutingProblem | null {
  const { routing, mapping } = config;
  if (routing === null) return isRequired(mapping) ? requiredByMapping() : null;
  const names = table.columns.map(({ name }) => name);
  if (!names.includes(routing)) return unknownColumn(routing, names);
  const id = config.id ?? table.key;
  if (!id.includes(routing)) return outsideOfTheId(routing, id);
  return isForbidden(mapping) ? contradicted(routing) : null;
}

/** The mapping with what makes Elasticsearch refuse a write without a routing, instead of putting it into another shard. */
export function withRouting(mapping: Parameters, routing: string | null): Parameters {
  return routing === null ? mapping : { ...mapping, _routing: { ...routingOf(mapping), required: true } };
}

/** The live index asks for a routing where the plan has none, or the other way round. */
export function routingMappingDifference({ routing }: Pick<DocumentPlan, 'routing'>, live: Parameters): readonly MappingDifference[] {
  const expected = routing !== undefined;
  const actual = isRequired(live);
  return expected === actual ? [] : [{ field: ROUTING, expected: named(expected), actual: named(actual) }];
}

/** The index takes no document without a routing, and the plan knows none: nothing can be written into it, while what is there could be deleted. */
export function isPlaceless({ field, actual }: MappingDifference): boolean {
  return field === ROUTING && actual === named(true);
}

function named(required: boolean): string {
  return required ? 'required' : '(none)';
}

function unknownColumn(routing: string, names: readonly string[]): RoutingProblem {
  return { message: `routing: the table has no column "${routing}"${didYouMean(routing, names)}`, fix: 'Name one of the columns of the id.' };
}

function outsideOfTheId(routing: string, id: readonly string[]): RoutingProblem {
  const columns = id.join(', ');
  return {
    message: `routing: column "${routing}" is not one of the columns of the id (${columns}), so a change of it, or a delete, would leave the document in its old shard`,
    fix: `Set id: [${[routing, ...id].join(', ')}] (the columns of a unique index that is the replica identity), or routing to one of: ${columns}.`,
  };
}

function contradicted(routing: string): RoutingProblem {
  return {
    message: `mapping: _routing.required is false, but documents are routed by column "${routing}"`,
    fix: 'Remove _routing from the mapping (it is added as required), or remove routing.',
  };
}

function requiredByMapping(): RoutingProblem {
  return {
    message: 'mapping: _routing.required is true, but no column is named to route documents by',
    fix: 'Set routing to one of the columns of the id, or remove _routing from the mapping.',
  };
}

function isRequired(mapping: Parameters | null): boolean {
  return String(routingOf(mapping).required) === 'true';
}

function isForbidden(mapping: Parameters | null): boolean {
  return String(routingOf(mapping).required) === 'false';
}

function routingOf(mapping: Parameters | null): Parameters {
  const routing = mapping?._routing;
  return typeof routing === 'object' && routing !== null ? (routing as Parameters) : {};
}
