import { createServer } from 'node:net';

function listen() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const close = (server) => new Promise((resolve) => server.close(resolve));

/** Ports that are free now and differ from each other: all are held until all are known. Another program can still take one before its use. */
export async function freePorts(count) {
  const servers = [];
  for (let at = 0; at < count; at += 1) servers.push(await listen());
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map(close));
  return ports;
}

/** `wanted`, or any free port if it is 0. */
export const freePort = async (wanted) => (wanted === 0 ? (await freePorts(1))[0] : wanted);
