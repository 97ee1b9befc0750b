import type { CommandEntry } from './command-table.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What can stand behind the words of a command: commands below it, or its options. */
interface Place {
  readonly words: string;
  readonly next: readonly string[];
}

/** The script that a shell reads once, out of the table and the options of each command: at a key nothing is started. */
export function writeCompletion(
  shell: Shell,
  commands: CommandEntry,
  optionsOf: Readonly<Record<string, readonly string[]>>,
): string {
  const places = listPlaces(commands, optionsOf, []);
  if (shell === 'fish') return writeFish(places);
  return shell === 'bash'
    ? writeBash(places)
    : `#compdef lachesis\nautoload -Uz bashcompinit && bashcompinit\n${writeBash(places)}`;
}

function listPlaces(
  entry: CommandEntry,
  optionsOf: Readonly<Record<string, readonly string[]>>,
  path: readonly string[],
): Place[] {
  const words = path.join(' ');
  const below = Object.entries(entry.commands ?? {});
  const own = { words, next: [...below.map(([name]) => name), ...(optionsOf[words] ?? []), '--help'] };
  return [own, ...below.flatMap(([name, each]) => listPlaces(each, optionsOf, [...path, name]))];
}

/** The words that name a command are those before the first option that the table has. */
function writeBash(places: readonly Place[]): string {
  const cases = places.map(
    ({ words, next }) => `    ${JSON.stringify(words)}) next=${JSON.stringify(next.join(' '))} ;;`,
  );
  return `_lachesis() {
  local path="" next="" word current="\${COMP_WORDS[COMP_CWORD]}" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case " $(_lachesis_next "$path") " in
      *" $word "*) [[ "$word" == -* ]] && break; path="\${path:+$path }$word" ;;
      *) break ;;
    esac
  done
  COMPREPLY=($(compgen -W "$(_lachesis_next "$path")" -- "$current"))
}
_lachesis_next() {
  local next=""
  case "$1" in
${cases.join('\n')}
  esac
  printf '%s' "$next"
}
complete -o default -F _lachesis lachesis
`;
}

function writeFish(places: readonly Place[]): string {
  const cases = places.map(({ words, next }) => `    case ${JSON.stringify(words)}\n      set next ${next.join(' ')}`);
  return `function __lachesis_next
  set -l next
  switch "$argv"
${cases.join('\n')}
  end
  printf '%s\\n' $next
end
function __lachesis_complete
  set -l path
  for word in (commandline -opc)[2..-1]
    if string match -q -- '-*' $word; or not contains -- $word (__lachesis_next $path)
      break
    end
    set -a path $word
  end
  __lachesis_next $path
end
complete -c lachesis -f -a '(__lachesis_complete)'
`;
}
