import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type RealignExit, runRealign } from '../support/run-realign.ts';
import { elasticsearch } from '../support/servers.ts';
import { type AuditWorld, auditWorld, edit } from './audit-world.ts';

describe('realign audit, as it is typed', () => {
  let world: AuditWorld;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'realign-audit-'));
    world = await auditWorld(200);
  });

  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.dispose();
  });

  const command = (args: readonly string[], output: 'json' | 'human' = 'json'): Promise<RealignExit> => {
    const config = { indices: { [world.alias]: { table: 'public.things', settings: { number_of_replicas: 0, number_of_shards: 2 } } } };
    return runRealign({
      args: ['audit', world.alias, '--settle', '2x50ms', '--sample', '50', ...args],
      config,
      databaseUrl: world.database.url,
      output,
    });
  };

  it('goes on where --max-duration stopped it: 75, then 0, then no file', async () => {
    const state = join(folder, 'place.json');
    const first = await command(['--max-duration', '1ms', '--state', state]);
    assert.deepEqual([first.code, existsSync(state)], [75, true], first.stderr);
    const second = await command(['--max-duration', '1ms', '--state', state]);
    assert.deepEqual([second.code, existsSync(state)], [0, false], second.stderr);
  });

  it('tells drift with the keys, no values and what to type next; shows values when asked; repairs: 2, 2, 0, 0', async () => {
    await edit(world.index, '42', (source) => source.replace('"name":"name 42"', '"name":"nome 42"'));
    const plain = await command([], 'human');
    assert.equal(plain.code, 2, plain.stderr);
    assert.match(plain.stdout, new RegExp(`${world.alias}/42 {3}different {3}field name {3}written by others`));
    assert.match(plain.stdout, /Next: realign audit .* --repair --dry-run/);
    assert.equal(`${plain.stdout}${plain.stderr}`.includes('nome 42'), false);
    const keys = join(folder, 'keys');
    writeFileSync(keys, '42\n');
    const shown = await command(['--keys-file', keys, '--show-values', 'full'], 'human');
    assert.equal(shown.code, 2);
    assert.match(shown.stdout, /name {3}postgres "name 42" {3}elasticsearch "nome 42"/);
    const wouldMend = await command(['--repair', '--dry-run']);
    assert.equal(wouldMend.code, 2);
    assert.deepEqual([wouldMend.events.at(-1)?.result, wouldMend.events.at(-1)?.exit_code], ['drift', 2]);
    assert.equal((await command(['--repair'])).code, 0);
    assert.equal((await command([])).code, 0);
  });

  it('names nothing but the rebuild where the mapping alone differs: there is no document to mend', async () => {
    const { json } = await elasticsearch('GET', `/${world.index}/_mapping`);
    const { mappings } = json[world.index];
    const other = `${world.alias}-other-mapping`;
    const ours = { _meta: { realign: { ...mappings._meta.realign, index: other } }, properties: { ...mappings.properties, n: { type: 'keyword' } } };
    await elasticsearch('PUT', `/${other}`, { mappings: { ...mappings, ...ours }, settings: { number_of_replicas: 0 } });
    const { json: found } = await elasticsearch('GET', `/${world.index}/_search?size=1000`);
    const copies = found.hits.hits.flatMap(({ _id, _source }: { _id: string; _source: unknown }) => [{ index: { _id } }, _source]);
    await elasticsearch('POST', `/${other}/_bulk?refresh=true`, copies.map((line: unknown) => `${JSON.stringify(line)}\n`).join(''));
    for (const mode of ['full', 'counts']) {
      const { code, stdout, stderr } = await command(['--index', other, '--mode', mode], 'human');
      assert.equal(code, 2, stderr);
      assert.match(stdout, / Next: realign rebuild [^·]+$/m);
    }
    await elasticsearch('DELETE', `/${other}`);
  });

  it('lets pass as many differences as allowed, and refuses what is not there', async () => {
    await elasticsearch('DELETE', `/${world.index}/_doc/7`);
    assert.equal((await command(['--max-diff', '1'])).code, 0);
    assert.equal((await command(['--max-diff', '0'])).code, 2);
    const counted = await command(['--mode', 'counts'], 'human');
    assert.equal(counted.code, 2, counted.stderr);
    assert.match(
      counted.stdout,
      /Next: realign audit \S+ .*--mode full .* {5}· {5}realign rebuild/,
      'counts name no key, and would say the same again',
    );
    const missing = await command(['--index', `${world.alias}-gone`]);
    assert.deepEqual(
      [missing.code, missing.events.some(({ type, unchanged }) => type === 'error' && unchanged === 'Nothing was changed.')],
      [20, true],
    );
    assert.equal((await command(['--dry-run'])).code, 64);
  });
});
