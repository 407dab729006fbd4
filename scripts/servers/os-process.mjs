import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** When the process started, in words of the system: tells a pid from the same number given out again. Empty if there is no such process. */
function startOf(pid) {
  if (process.platform !== 'linux') return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? '' : fields[19];
  } catch {
    return '';
  }
}

export const identityOf = (pid) => ({ pid, start: startOf(pid) });

export const isRunning = ({ pid, start }) => start !== '' && startOf(pid) === start;

/** Starts a process that outlives us in a session of its own, all output to `log`. */
export function startDetached(command, args, { log, cwd, env, user }) {
  const output = openSync(log, 'a');
  const owner = user === null || user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', output, output], ...owner });
  closeSync(output);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve(identityOf(child.pid));
    });
  });
}

/** Runs a command to its end; a failure carries the end of what it printed. */
export function run(command, args, { cwd, user } = {}) {
  const owner = user === null || user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...owner });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${command} cannot be run (${error.code}): is it installed and on the PATH?`)));
    child.once('close', (code) => {
      const text = Buffer.concat(output).toString('utf8');
      if (code === 0) resolve(text);
      else reject(new Error(`${command} ${args[0]} ended with ${code}:\n${text.slice(-2000)}`));
    });
  });
}

/** Polls `ready` until it says true; throws at the deadline, or as soon as the process is gone. */
export async function waitUntilReady(identity, ready, { name, log, timeoutMs }) {
  const deadline = Date.now() + timeoutMs;
  const explain = (what) => new Error(`${name} ${what}; its log ends with:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  while (!(await ready())) {
    if (!isRunning(identity)) throw explain('ended while starting');
    if (Date.now() > deadline) throw explain(`did not answer within ${timeoutMs / 1000} s`);
    await pause(150);
  }
}

/** Ends exactly this process: a polite signal, then SIGKILL at the deadline. */
export async function stopProcess(identity, signal, timeoutMs) {
  if (!isRunning(identity)) return;
  process.kill(identity.pid, signal);
  const deadline = Date.now() + timeoutMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) process.kill(identity.pid, 'SIGKILL');
    await pause(50);
  }
}
