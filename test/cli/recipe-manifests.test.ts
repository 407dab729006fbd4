import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CronJob, Job } from 'kubernetes-models/batch/v1';
import { parse } from 'yaml';

const MANIFESTS = join(import.meta.dirname, '..', '..', '..', 'docs', 'recipes', 'kubernetes');
const KINDS = { 'cronjob.yaml': CronJob, 'job.yaml': Job } as const;

for (const [file, Kind] of Object.entries(KINDS)) {
  // The YAML of kubectl is version 1.1, where 0440 is octal.
  const read = () => parse(readFileSync(join(MANIFESTS, file), 'utf8'), { version: '1.1' });

  test(`${file} is what the schema of the Kubernetes API says`, () => {
    new Kind(read()).validate();
  });

  test(`a missing field would be found in ${file}`, () => {
    const incomplete = read();
    const { podFailurePolicy } = incomplete.spec.jobTemplate?.spec ?? incomplete.spec;
    delete podFailurePolicy.rules[0].onPodConditions[0].status;
    assert.throws(() => new Kind(incomplete).validate(), /status/);
  });
}
