import { post } from '../notices/post.ts';
import type { Report } from '../report/report-schema.ts';
import { renderFamilies } from './exposition.ts';
import { metricFamilies } from './metric-families.ts';

/**
 * Pushes the metrics of each index to its own group. POST replaces only families of the same name (https://github.com/prometheus/pushgateway#post-method), so that the time of
 * the last success, which a failed run does not send, stays. Throws the first error after all were tried.
 */
export async function pushMetrics(url: URL, report: Report, nowSeconds: number): Promise<void> {
  // All at once: a gateway that does not answer costs its timeout once, not for each index.
  const pushes = await Promise.allSettled(report.runs.map((run) => pushOne(url, { ...report, runs: [run] }, run.index, nowSeconds)));
  const failed = pushes.find((push) => push.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function pushOne(url: URL, report: Report, alias: string, nowSeconds: number): Promise<void> {
  const group = new URL(url);
  group.pathname = `${url.pathname.replace(/\/+$/, '')}/metrics/job/realign/alias@base64/${Buffer.from(alias).toString('base64url')}`;
  await post(group, renderFamilies(metricFamilies(report, nowSeconds)), { 'content-type': 'text/plain; version=0.0.4' });
}
