import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditStateFile } from '../../../src/cli/audit-state-file.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { SavedAudit } from '../../../src/phases/audit/state.ts';

const SAVED: SavedAudit = {
  ...{ format: 2, uuid: 'u', plan: 'p', rows: 1, rejected: 0, documents: 2, cells: { partitions: 1024, differing: [3] }, differing: ['7'] },
  position: { side: 'table', leaf: 16_384, relfilenode: 16_384, block: 77 },
};

test('the place of an audit is read back, readable by its owner only, and gone when it is done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-audit-'));
  try {
    const path = join(folder, 'products.audit.json');
    const file = auditStateFile(path);
    assert.equal(await file.read(), null);
    await file.write(SAVED);
    assert.deepEqual(await file.read(), SAVED);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await file.clear();
    assert.deepEqual([await file.read(), readdirSync(folder)], [null, []]);
    await file.clear();
    for (const text of ['', '{', '{"format":2}', '{"format":1,"position":{},"differing":[]}', '[]', 'null']) {
      writeFileSync(path, text);
      await assert.rejects(file.read(), (error) => error instanceof Failure && error.kind === 'config', text);
    }
    await assert.rejects(auditStateFile(join(folder, 'no', 'file')).write(SAVED), (error) => error instanceof Failure && error.kind === 'config');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
