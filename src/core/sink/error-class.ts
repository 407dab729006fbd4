/** What an Elasticsearch error type means for one operation of a bulk. */
export type ErrorClass = 'superseded' | 'rejected' | 'retry' | 'blocked' | 'vanished' | 'denied' | 'unknown';

/**
 * By `error.type`, never by status: flood stage and overload are both 429, a document that is no object is a 500 (docs/servers.md
 * E11). What is not listed is unknown, and unknown stops the run.
 */
const CLASSES: { readonly [errorClass in Exclude<ErrorClass, 'unknown'>]: readonly string[] } = {
  superseded: ['version_conflict_engine_exception'],
  rejected: [
    'document_parsing_exception',
    'mapper_parsing_exception',
    'strict_dynamic_mapping_exception',
    'mapper_exception',
    'parsing_exception',
    'parse_exception',
    'illegal_argument_exception',
    'number_format_exception',
    'date_time_parse_exception',
    'date_time_exception',
    'not_x_content_exception',
    'x_content_parse_exception',
    'x_content_e_o_f_exception',
    'named_object_not_found_exception',
    'json_parse_exception',
    'json_e_o_f_exception',
    'input_coercion_exception',
    'stream_constraints_exception',
    'max_bytes_length_exceeded_exception',
    'routing_missing_exception',
    'arithmetic_exception',
  ],
  retry: [
    'es_rejected_execution_exception',
    'circuit_breaking_exception',
    'unavailable_shards_exception',
    'no_shard_available_action_exception',
    'primary_missing_action_exception',
    'no_longer_primary_shard_exception',
    'shard_not_found_exception',
    'shard_not_in_primary_mode_exception',
    'retry_on_primary_exception',
    'retry_on_replica_exception',
    'illegal_index_shard_state_exception',
    'index_shard_not_started_exception',
    'index_shard_not_recovering_exception',
    'index_shard_recovering_exception',
    'index_shard_closed_exception',
    'already_closed_exception',
    'engine_exception',
    'timeout_exception',
    'receive_timeout_transport_exception',
    'elasticsearch_timeout_exception',
    'process_cluster_event_timeout_exception',
    'node_closed_exception',
    'node_disconnected_exception',
    'node_not_connected_exception',
    'connect_transport_exception',
    'send_request_transport_exception',
    'remote_transport_exception',
    'transport_exception',
    'master_not_discovered_exception',
    'not_master_exception',
    'task_cancelled_exception',
  ],
  blocked: ['cluster_block_exception'],
  /**
   * With `require_alias` a missing build alias is an `index_not_found_exception`; for a delete, which ignores `require_alias` (docs/servers.md E6), it is the
   * refusal to create an index with an upper-case name.
   */
  vanished: ['index_not_found_exception', 'aliases_not_found_exception', 'invalid_index_name_exception', 'index_closed_exception'],
  denied: ['security_exception'],
};

const BY_TYPE: ReadonlyMap<string, ErrorClass> = new Map(
  Object.entries(CLASSES).flatMap(([errorClass, types]) => types.map((type): [string, ErrorClass] => [type, errorClass as ErrorClass])),
);

export function classifyError(type: string): ErrorClass {
  return BY_TYPE.get(type) ?? 'unknown';
}
