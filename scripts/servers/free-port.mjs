import { createServer } from 'node:net';

/** `wanted`, or a port that is free now if it is 0; the answer can be raced, so a start that then fails says so. */
export function freePort(wanted) {
  if (wanted !== 0) return Promise.resolve(wanted);
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
