import { errorCode } from './config/environment.ts';
import type { Outlets } from './config/resolve-outlets.ts';
import { pushMetrics } from './metrics/pushgateway.ts';
import { writeTextfile } from './metrics/textfile.ts';
import { type Notice, noticeOf, occasionOf, wholeNotice } from './notices/notice.ts';
import { sendNotice } from './notices/webhook.ts';
import { mergeOutlets, type OutletFlags } from './outlet-flags.ts';
import type { Output, OutputEvent } from './output/output-event.ts';
import type { IndexReport, Report } from './report/report-schema.ts';
import type { RunWitness } from './report/run-witness.ts';
import { clearReport, type ReportRequest, writeReport } from './report/write-report.ts';

export interface AftercareRequest {
  readonly flags: OutletFlags;
  readonly witness: RunWitness;
  readonly command: string;
  /** The aliases as typed: what a failure before any index began is counted under. */
  readonly named: readonly string[];
  /** Takes warnings; they do not come back to `observe` as new work. */
  readonly output: Output;
  readonly scrub: (text: string) => string;
  readonly date: () => Date;
}

type Summary = Parameters<RunWitness['report']>[0];

/** Held builds and followers say nothing for days: their notice and their figures cannot wait for the end. */
const STILL_RUNNING = { result: 'succeeded', exit_code: 0, build: null, generation: null } as const;

/** Reports, metrics and notices of a command. Whatever fails here is a warning and never changes how the run ends (docs/faults.md F55, F58). */
export class Aftercare {
  readonly #request: AftercareRequest;
  readonly #report: ReportRequest | null;
  #file: Outlets | null = null;
  #underway: Promise<void>[] = [];
  /** Followers whose success was told when they began to follow. */
  readonly #told = new Set<string>();

  constructor(request: AftercareRequest) {
    this.#request = request;
    const { report } = request.flags;
    this.#report = report === null ? null : { ...report, scrub: request.scrub };
  }

  /** To be called before the command: an old report must not be taken for this run's. */
  async begin(): Promise<void> {
    const report = this.#report;
    if (report !== null) await this.#attempt('report-unwritable', `the directory of the report: ${report.directory}`, () => clearReport(report));
  }

  /** What the config file says, once it is read. */
  configure(outlets: Outlets): void {
    this.#file = outlets;
  }

  observe(index: string | null, event: OutputEvent): void {
    this.#request.witness.observe(index, event);
    if (index === null || event.type !== 'phase.started') return;
    if (event.phase === 'hold') this.#underway.push(this.#notify(this.#noticeNow(index, 'held')));
    if (event.phase === 'follow') this.#underway.push(this.#publishFollower(index));
  }

  /** Everything that is told at the end; takes bounded time. */
  async conclude(summary: Summary): Promise<void> {
    await Promise.all(this.#underway);
    const report = this.#request.witness.report(summary);
    const notices = this.#noticesOf(report).map((notice) => this.#notify(notice));
    await Promise.all([this.#measure(report), this.#write(report), ...notices]);
  }

  get #outlets(): Outlets {
    return mergeOutlets(this.#request.flags, this.#file);
  }

  async #write(report: Report): Promise<void> {
    const request = this.#report;
    if (request !== null) await this.#attempt('report-unwritable', `the report in ${request.directory}`, () => writeReport(report, request));
  }

  async #measure(report: Report): Promise<void> {
    const { textfile, pushgateway } = this.#outlets;
    const seconds = this.#request.date().getTime() / 1000;
    const measured = { ...report, runs: report.runs.length > 0 ? report.runs : this.#unbegun(report) };
    if (measured.runs.length === 0) return;
    if (textfile !== null) await this.#attempt('metrics-unwritable', `the metrics in ${textfile}`, () => writeTextfile(textfile, measured, seconds));
    if (pushgateway !== null)
      await this.#attempt('metrics-not-pushed', 'the metrics for the Pushgateway', () => pushMetrics(pushgateway, measured, seconds));
  }

  /** A run that failed before any index began still failed for each that was named. */
  #unbegun({ result, exitCode }: Report): readonly IndexReport[] {
    const { witness, named } = this.#request;
    if (exitCode === 0) return [];
    return named.map((index) => witness.indexReport(index, { result, exit_code: exitCode, build: null, generation: null }));
  }

  #noticesOf(report: Report): readonly Notice[] {
    const { command } = this.#request;
    if (report.runs.length === 0) return report.failure === null || report.result === 'interrupted' ? [] : [wholeNotice(report)];
    return report.runs.flatMap((run) => {
      const occasion = occasionOf(run, command);
      return occasion === null || (occasion === 'succeeded' && this.#told.has(run.index)) ? [] : [noticeOf(run, command, occasion)];
    });
  }

  #noticeNow(index: string, occasion: 'held' | 'succeeded'): Notice {
    const { witness, command } = this.#request;
    return noticeOf(witness.indexReport(index, STILL_RUNNING), command, occasion);
  }

  /** A follower has done its rebuild: the success is told now. */
  async #publishFollower(index: string): Promise<void> {
    const { witness } = this.#request;
    this.#told.add(index);
    const report = witness.report({ result: 'succeeded', exit_code: 0, indices: [{ index, previous: null, ...STILL_RUNNING }] });
    await this.#measure({ ...report, runs: report.runs.filter((run) => run.index === index) });
    await this.#notify(this.#noticeNow(index, 'succeeded'));
    await this.#write(report);
  }

  async #notify(notice: Notice): Promise<void> {
    const { webhook } = this.#outlets;
    if (webhook === null || !webhook.on.has(notice.event)) return;
    const seconds = this.#request.date().getTime() / 1000;
    await this.#attempt('notice-not-sent', `the notice "${notice.event}"`, () => sendNotice(webhook, notice, seconds));
  }

  async #attempt(code: string, what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = `${what} failed: ${errorCode(error)}`;
      this.#request.output.emit(null, { type: 'warning', code, message, hint: 'The run itself is not affected.' });
    }
  }
}
