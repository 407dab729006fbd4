import { post } from '../notices/post.ts';
import type { Report } from '../report/report-schema.ts';
import { renderFamilies } from './exposition.ts';
import { metricFamilies } from './metric-families.ts';

/**
 * Pushes the metrics of each index to its own group. POST replaces only families of the same name (https://github.com/prometheus/pushgateway#post-method), so that the time of
 * the last success, which a failed run does not send, stays. Throws after all were tried.
 */
export async function pushMetrics(url: URL, report: Report, nowSeconds: number): Promise<void> {
  const errors: unknown[] = [];
  for (const run of report.runs) {
    const group = new URL(url);
    group.pathname = `${url.pathname.replace(/\/+$/, '')}/metrics/job/realign/alias@base64/${Buffer.from(run.index).toString('base64url')}`;
    const text = renderFamilies(metricFamilies({ ...report, runs: [run] }, nowSeconds));
    try {
      await post(group, text, { 'content-type': 'text/plain; version=0.0.4' });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
