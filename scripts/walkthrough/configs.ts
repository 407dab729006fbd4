/** The first mapping is the one realign infers: the position becomes an array of numbers. */
export const FIRST_CONFIG = `version: 1
postgres: { url: "\${DATABASE_URL}" }
elasticsearch: { url: "\${ELASTICSEARCH_URL}" }
indices:
  places:                     # the alias that readers use
    table: public.places
    settings: { number_of_replicas: 0 }
    fields:
      region: { type: flattened }
`;

/** The change that needs a rebuild: distances can be searched only in a geo_point. */
export const SECOND_CONFIG = `${FIRST_CONFIG}      position: { type: geo_point }
`;
