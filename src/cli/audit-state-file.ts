import { readFile, rm } from 'node:fs/promises';
import { Failure } from '../core/failure.ts';
import type { AuditState, SavedAudit } from '../phases/audit/state.ts';
import { writeAtomically } from './atomic-file.ts';
import { errorCode } from './config/environment.ts';

/**
 * The place of an audit in several runs, in a local file: both servers are only read, so that it cannot be kept there. Holds ids of documents that differed, no
 * values; mode 0600.
 */
export function auditStateFile(path: string): AuditState {
  return {
    read: () => readState(path),
    write: async (saved) => {
      try {
        await writeAtomically(path, `${JSON.stringify(saved)}\n`, 0o600);
      } catch (error) {
        throw new Failure('config', `the place of the audit cannot be written to ${path} (${errorCode(error)})`, {
          hint: 'Give a file in a directory that can be written with --state.',
          cause: error,
        });
      }
    },
    clear: () => rm(path, { force: true }),
  };
}

async function readState(path: string): Promise<SavedAudit | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new Failure('config', `the place of the audit cannot be read from ${path} (${errorCode(error)})`, {
      hint: 'Make it readable for this user, or give another file with --state.',
      cause: error,
    });
  }
  const saved = parsed(text);
  if (saved !== null) return saved;
  throw new Failure('config', `${path} does not hold the place of an audit of this version`, {
    hint: 'Remove it to begin anew, or give another --state.',
  });
}

function parsed(text: string): SavedAudit | null {
  try {
    const saved = JSON.parse(text) as SavedAudit;
    const whole =
      saved?.format === 2 && typeof saved.position === 'object' && Array.isArray(saved.differing) && Array.isArray(saved.cells?.differing);
    return whole ? saved : null;
  } catch {
    return null;
  }
}
