import { Failure } from '../failure.ts';
import { type Finding, type Worded, worded } from '../finding.ts';

/** A mistake in an index's entry of the config that only the table shows. */
export interface ConfigMistake {
  /** Below the index's entry: `['columns', 'exclude', 1]`; whoever has the file finds line and column by it. */
  readonly path: readonly (string | number)[];
  /** The place in words, `columns.exclude`, and what is wrong. */
  readonly text: string;
}

/** A mistake at a key, or at an element of it (`more`), which the words do not name by number. */
export function mistakeAt(place: string, text: string, ...more: readonly (string | number)[]): ConfigMistake {
  return { path: [...place.split('.'), ...more], text: `${place}: ${text}` };
}

/** All mistakes of one index's entry at once, kind `config`; `besides`: findings that stand against the build as well. */
export class ConfigMistakes extends Failure {
  readonly alias: string;
  readonly mistakes: readonly ConfigMistake[];
  readonly besides: readonly Finding[];

  constructor(alias: string, mistakes: readonly ConfigMistake[], besides: readonly Finding[] = []) {
    const list = mistakes.map(({ text }) => `\n  indices.${alias}.${text}`).join('');
    super('config', `${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`} in the config:${list}`, {
      hint: hintOf(besides, worded),
    });
    this.alias = alias;
    this.mistakes = mistakes;
    this.besides = besides;
  }

  /** The hint with the findings in other words. */
  hintWith(say: Worded): string {
    return hintOf(this.besides, say);
  }
}

function hintOf(besides: readonly Finding[], say: Worded): string {
  const more = besides.map((finding) => `\nBesides, ${say(finding)}${finding.fix === undefined ? '' : `\n  fix: ${finding.fix}`}`);
  return `Correct the config; nothing was created.${more.join('')}`;
}
