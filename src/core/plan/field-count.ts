import type { Mapping } from './mapping.ts';

/**
 * How many fields a mapping has by Elasticsearch's count: properties on every level, objects themselves included, multi-fields, and runtime fields
 * (https://www.elastic.co/guide/en/elasticsearch/reference/current/mapping-settings-limit.html).
 */
export function mappedFieldCount(mapping: Mapping): number {
  return ['properties', 'fields', 'runtime'].map((group) => mapping[group]).reduce<number>((sum, group) => sum + countOf(group), 0);
}

function countOf(group: unknown): number {
  return Object.values(isMapping(group) ? group : {}).reduce<number>((sum, field) => sum + 1 + (isMapping(field) ? mappedFieldCount(field) : 0), 0);
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
