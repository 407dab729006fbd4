import type { OwnServers } from '../../support/own-servers.ts';
import type { FaultWorld } from '../fault-world.ts';

/** Elasticsearch gone with `kill -9`, and back. */
export async function crashElasticsearch(servers: OwnServers): Promise<void> {
  await servers.killElasticsearch();
  await servers.revive();
}

/** PostgreSQL stopped in immediate mode (its slots go back to their last checkpoint), and back. */
export async function stopPostgres(servers: OwnServers, world: FaultWorld): Promise<void> {
  await servers.stopPostgresNow();
  await servers.revive();
  await world.reconnect();
}
