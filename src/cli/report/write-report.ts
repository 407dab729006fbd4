import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../atomic-file.ts';
import { errorCode } from '../config/environment.ts';
import { escapedJson } from '../escaped-json.ts';
import { htmlPage } from './html/page.ts';
import { junitXml } from './junit.ts';
import { markdownSummary } from './markdown.ts';
import type { Report } from './report-schema.ts';

export const REPORT_FORMATS = ['html', 'md', 'json', 'junit'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Names that nothing of the run gets into: no alias and no table can choose where a file goes. */
const FILES: { readonly [format in ReportFormat]: { readonly name: string; readonly render: (report: Report) => string } } = {
  html: { name: 'index.html', render: htmlPage },
  md: { name: 'summary.md', render: markdownSummary },
  json: { name: 'report.json', render: (report) => `${escapedJson(JSON.stringify(report, null, 2))}\n` },
  junit: { name: 'junit.xml', render: junitXml },
};

/** Every report has the name in its first lines, so that nothing else is taken for one. */
const MARK = 'realign';
const MARK_WITHIN_BYTES = 1024;

export interface ReportRequest {
  readonly directory: string;
  readonly formats: readonly ReportFormat[];
  /** Takes every known secret out of a text. */
  readonly scrub: (text: string) => string;
}

/**
 * Makes the directory and removes the report of an earlier run: if this one is killed, nobody takes the old one for its result. Throws the system's error, or one that
 * names a file that is not a report.
 */
export async function clearReport({ directory }: ReportRequest): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const { name } of Object.values(FILES)) await removeReport(join(directory, name));
}

/** Writes the files of the report, each whole or not at all, and tries all of them; throws the first error at the end. */
export async function writeReport(report: Report, { directory, formats, scrub }: ReportRequest): Promise<void> {
  const clean = scrubbed(report, scrub);
  const errors: unknown[] = [];
  for (const format of formats) {
    const { name, render } = FILES[format];
    try {
      await removeReport(join(directory, name));
      await writeAtomically(join(directory, name), render(clean));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function removeReport(path: string): Promise<void> {
  const head = await firstBytes(path);
  if (head === null) return;
  if (!head.includes(MARK)) throw new Error(`${path} is not a report of realign`);
  await rm(path, { force: true });
}

async function firstBytes(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MARK_WITHIN_BYTES), 0, MARK_WITHIN_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Before it is rendered: in a page a secret would be escaped, and no longer be found. */
function scrubbed(report: Report, scrub: (text: string) => string): Report {
  return JSON.parse(JSON.stringify(report), (_, value: unknown) => (typeof value === 'string' ? scrub(value) : value)) as Report;
}
