import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, loadConfiguration } from '../../../src/cli/config/load.ts';

export interface LoadedText {
  readonly configuration: Configuration;
  readonly secrets: readonly string[];
}

export interface TextToLoad {
  readonly text: string;
  readonly environment?: { readonly [name: string]: string };
  /** More files beside the config: name and content. */
  readonly files?: { readonly [name: string]: string };
}

/** Loads a config from a directory of its own; places in error messages are relative to it: the directory's name is cut out. */
export function loadText({ text, environment = {}, files = {} }: TextToLoad): LoadedText {
  const directory = mkdtempSync(join(tmpdir(), 'realign-config-'));
  const secrets: string[] = [];
  try {
    for (const [name, content] of Object.entries({ 'realign.yaml': text, ...files })) writeFileSync(join(directory, name), content);
    const path = join(directory, 'realign.yaml');
    const registerSecret = (secret: string) => void secrets.push(secret);
    return { configuration: loadConfiguration({ path, adHoc: null, needsIndices: true, environment, registerSecret }), secrets };
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(`${directory}/`, '');
    throw error;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The lines of the failure that the text brings. */
export function mistakesIn(request: TextToLoad): readonly string[] {
  try {
    loadText(request);
  } catch (error) {
    if (error instanceof Error) return error.message.split('\n').map((line) => line.trim());
  }
  return [];
}
