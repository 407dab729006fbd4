import { Failure } from '../../core/failure.ts';
import { COMMANDS, GLOBAL, type OptionTable } from '../flags.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `realign completion SHELL`: a script that completes commands, flags and the values of flags. It is made of the table of flags and calls nothing. */
export function completionText(shell: string): string {
  switch (shell) {
    case 'bash':
      return bashScript();
    case 'zsh':
      // zsh runs bash's completions: https://zsh.sourceforge.io/Doc/Release/Completion-System.html (bashcompinit)
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript()}`;
    case 'fish':
      return fishScript();
  }
  throw new Failure('usage', `there is no completion for ${JSON.stringify(shell)}`, { hint: `Known: ${SHELLS.join(', ')}.` });
}

function bashScript(): string {
  const flagCases = Object.entries(COMMANDS).map(([name, { options }]) => `    ${name}) flags="${flagWords({ ...GLOBAL, ...options })}" ;;`);
  return `# realign completion bash >> ~/.bashrc
_realign() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" flags="" each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$each" in ${Object.keys(COMMANDS).join('|')}) command="$each"; break ;; esac
  done
  case "$before" in
${valueCases().join('\n')}
  esac
  case "$command" in
${flagCases.join('\n')}
    *) flags="${Object.keys(COMMANDS).join(' ')} ${flagWords(GLOBAL)}" ;;
  esac
  COMPREPLY=($(compgen -W "$flags" -- "$word"))
}
complete -o default -F _realign realign
`;
}

function flagWords(options: OptionTable): string {
  return [...Object.keys(options), 'help', 'version'].map((name) => `--${name}`).join(' ');
}

/** After a flag with a fixed set of values those; after one that names a file nothing of ours, so that the shell completes paths. */
function valueCases(): readonly string[] {
  const flags = [GLOBAL, ...Object.values(COMMANDS).map(({ options }) => options)].flatMap((table) => Object.entries(table));
  // A name may be a switch of another command: `schema --report`.
  const taking = Object.entries(Object.fromEntries(flags.filter(([, { type }]) => type === 'string')));
  return taking.map(([name, { choices, alias }]) => {
    const pattern = [`--${name}`, ...(typeof alias === 'string' ? [`-${alias}`] : [])].join('|');
    const reply = choices === undefined ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$word"))`;
    return `    ${pattern}) ${reply}; return ;;`;
  });
}

function fishScript(): string {
  const names = Object.entries(COMMANDS);
  const commands = names.map(([name, { describe }]) => `complete -c realign -n __fish_use_subcommand -f -a ${name} -d ${quoted(describe)}`);
  const globals = Object.entries(GLOBAL).map(([flag, option]) => `complete -c realign ${fishFlag(flag, option)}`);
  const own = names.flatMap(([name, { options }]) =>
    Object.entries(options).map(([flag, option]) => `complete -c realign -n '__fish_seen_subcommand_from ${name}' ${fishFlag(flag, option)}`),
  );
  return `# realign completion fish > ~/.config/fish/completions/realign.fish\n${[...commands, ...globals, ...own].join('\n')}\n`;
}

function fishFlag(flag: string, { type, choices, alias, describe }: OptionTable[string]): string {
  const short = typeof alias === 'string' ? ` -s ${alias}` : '';
  const value = choices !== undefined ? ` -x -a ${quoted(choices.join(' '))}` : type === 'string' ? ' -r' : '';
  return `-l ${flag}${short}${value} -d ${quoted(describe ?? '')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
