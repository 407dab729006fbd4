import { setTimeout as pause } from 'node:timers/promises';
import { elasticsearch } from '../../support/servers.ts';

const EVERY_MS = 50;

/**
 * Looks at the alias all the time, not by way of the program: it must always be on exactly one index. A cluster that is away or has not recovered its state says nothing.
 * `stop` throws what was seen wrong, else gives the number of looks.
 */
export function watchAlias(alias: string): { stop(): Promise<number> } {
  let stopped = false;
  let looks = 0;
  const wrong: string[] = [];
  const look = async (): Promise<void> => {
    const { status, json } = await elasticsearch('GET', `/_alias/${alias}`);
    const indices = Object.keys(json ?? {});
    if (status === 200 && indices.length === 1) looks++;
    else if (status === 200 || (status === 404 && (await isRecovered()))) wrong.push(`HTTP ${status}: ${indices.join(', ')}`);
  };
  const watching = (async () => {
    while (!stopped) {
      await look().catch(() => undefined);
      await pause(EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await watching;
      if (wrong.length > 0) throw new Error(`the alias ${alias} was not on exactly one index, ${wrong.length} times: ${wrong[0]}`);
      return looks;
    },
  };
}

async function isRecovered(): Promise<boolean> {
  const { status, json } = await elasticsearch('GET', '/_cluster/health');
  return status === 200 && json.status !== 'red';
}
