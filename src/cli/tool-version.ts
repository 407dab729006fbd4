import { existsSync, readFileSync } from 'node:fs';

/** The version in the package's own `package.json`, wherever the compiled files lie below it. */
export function toolVersion(): string {
  for (let directory = new URL('.', import.meta.url); ; directory = new URL('..', directory)) {
    const file = new URL('package.json', directory);
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: string; readonly version?: string };
      if (name === 'realign' && version !== undefined) return version;
    }
    if (directory.pathname === '/') return 'unknown';
  }
}
