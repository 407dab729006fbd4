import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The Java that Elasticsearch needs (the class files say so); 8.18.8 is tried on 17. */
const NEEDS = { '9.0.8': 21, '8.18.8': 17 };

const list = (folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);

function onPath() {
  const folder = (process.env.PATH ?? '').split(':').find((candidate) => candidate !== '' && existsSync(join(candidate, 'javac')));
  return folder === undefined ? [] : [dirname(dirname(realpathSync(join(folder, 'javac'))))];
}

function usualFolders() {
  return [
    ...list('/usr/lib/jvm'),
    ...list('/opt/java'),
    ...list('/Library/Java/JavaVirtualMachines').map((folder) => join(folder, 'Contents', 'Home')),
    ...list('/opt/homebrew/opt').filter((folder) => folder.includes('openjdk')),
    ...list(join(homedir(), '.sdkman', 'candidates', 'java')),
  ];
}

function majorVersion(home) {
  const release = join(home, 'release');
  if (!existsSync(release) || !existsSync(join(home, 'bin', 'javac'))) return 0;
  return Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8'))?.[1] ?? 0);
}

/** A JDK that runs this Elasticsearch: JAVA_HOME, the PATH, then the usual folders; null if there is none. */
export function findJdk(esVersion) {
  const named = process.env.JAVA_HOME ? [process.env.JAVA_HOME] : [];
  const home = [...named, ...onPath(), ...usualFolders()].find((candidate) => majorVersion(candidate) >= NEEDS[esVersion]);
  return home === undefined ? null : { home, major: majorVersion(home) };
}

export function requireJdk(esVersion) {
  const jdk = findJdk(esVersion);
  if (jdk === null) throw new Error(`Elasticsearch ${esVersion} needs a JDK ${NEEDS[esVersion]} or newer: install one, or set JAVA_HOME`);
  return jdk;
}

/** 9.0.8 where Java 21 or newer is found, else 8.18.8. */
export const newestUsableElasticsearch = () => (findJdk('9.0.8') === null ? '8.18.8' : '9.0.8');
