import { spawnSync } from 'node:child_process';

const idOf = (flag, name) => {
  const answer = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return answer.status === 0 ? Number(answer.stdout) : null;
};

/** Whom PostgreSQL runs as: null = as ourselves; for root an unprivileged user, because PostgreSQL refuses root. */
export function serverUser() {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== null && gid !== null) return { name, uid, gid };
  }
  throw new Error('as root an unprivileged user is needed to run PostgreSQL: create one named "postgres"');
}

/** Whether that user can walk into the folder. */
export function mayEnter(user, folder) {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0;
}
