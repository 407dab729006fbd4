import { createServer } from 'node:net';

function listen(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

const close = (server) => new Promise((resolve) => server.close(resolve));

/** Ports that are free now and differ from each other: all are held until all are known. Another program can still take one before its use. */
export async function freePorts(count) {
  const servers = [];
  for (let at = 0; at < count; at += 1) servers.push(await listen(0));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map(close));
  return ports;
}

/** Throws if another program has the port: the server would end at once, and whoever answers there would be taken for it. */
export async function requireFree(port, variable) {
  try {
    await close(await listen(port));
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is in use by another program (another instance?): set ${variable} to a free port, or to 0 for any`);
  }
  return port;
}

/** `wanted`, or any free port if it is 0; `variable` is where it was asked for. */
export const freePort = async (wanted, variable) => (wanted === 0 ? (await freePorts(1))[0] : requireFree(wanted, variable));
