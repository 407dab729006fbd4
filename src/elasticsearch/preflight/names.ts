/** Why Elasticsearch would not take the name, or null (docs/servers.md E27). Only index names must be lower case. */
export function nameProblem(name: string, kind: 'alias' | 'index'): string | null {
  if (name === '' || name === '.' || name === '..') return 'is empty or a dot';
  if (Buffer.byteLength(name) > 255) return 'is longer than 255 bytes';
  if (/^[_+-]/.test(name)) return 'starts with _, - or +';
  const bad = /[\\/*?"<>|\s,#:]/.exec(name);
  if (bad !== null) return `holds the character ${JSON.stringify(bad[0])}`;
  return kind === 'index' && name !== name.toLowerCase() ? 'has upper-case letters' : null;
}

/** Whether an index pattern of a template (with `*` for any text) matches the name. */
export function matchesPattern(pattern: string, name: string): boolean {
  const literal = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's').test(name);
}
