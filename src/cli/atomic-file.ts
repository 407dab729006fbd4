import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file whole: written beside it, synced, renamed. A reader (node_exporter, an uploader) sees the old text or the new one, never half of one, and after a full disk
 * still the old one. Throws the system's error.
 */
export async function writeAtomically(path: string, text: string, mode = 0o644): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    // `wx`: never through a link that somebody put there.
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
