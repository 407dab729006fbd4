import { Failure } from '../failure.ts';
import { CONCRETE_INDEX, type Finding, type Worded, worded } from '../finding.ts';

/** Everything that a preflight found to stand against a build, kind `preflight-refused`; each finding keeps its place in the config. */
export class PreflightRefused extends Failure {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[], say: Worded = worded) {
    super('preflight-refused', findings.map(say).join('\n'), {
      hint: [...new Set(findings.map(({ fix = '' }) => fix))].filter((fix) => fix !== '').join('\n'),
      ...(findings.some(({ code }) => code === CONCRETE_INDEX) ? { lacks: 'adopt' as const } : {}),
    });
    this.findings = findings;
  }
}
