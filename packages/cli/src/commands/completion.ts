import { defineCommand, type CommandDef } from 'citty';
import { COMMANDS, type CommandEntry } from '../command-table.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { failUsage } from '../terminal/fail.ts';
import { SHELLS, writeCompletion } from '../write-completion.ts';

/** The options stand in the commands themselves, so all of them are loaded, once. */
export function createCompletionCommand(findCommand: (path: readonly string[]) => Promise<CommandDef>) {
  return defineCommand({
    meta: { name: 'completion', description: 'Print what bash, zsh or fish needs to complete commands and options.' },
    args: { shell: { type: 'positional', required: true, description: SHELLS.join(', ') } },
    async run({ args, rawArgs }) {
      refuseUnknownFlags({}, rawArgs);
      const shell = SHELLS.find((each) => each === args['shell']);
      if (shell === undefined) {
        failUsage(
          `completion is there for ${SHELLS.join(', ')}, and ${JSON.stringify(args['shell'])} was given: lachesis completion bash.`,
        );
      }
      process.stdout.write(writeCompletion(shell, COMMANDS, await readOptions(COMMANDS, [], findCommand)));
    },
  });
}

async function readOptions(
  entry: CommandEntry,
  path: readonly string[],
  findCommand: (path: readonly string[]) => Promise<CommandDef>,
): Promise<Record<string, string[]>> {
  const options: Record<string, string[]> = {};
  const { args } = path.length === 0 ? {} : await findCommand(path);
  const known = Object.entries((await (typeof args === 'function' ? args() : args)) ?? {});
  options[path.join(' ')] = known.flatMap(([name, { type }]) => (type === 'positional' ? [] : [`--${name}`]));
  for (const [name, each] of Object.entries(entry.commands ?? {})) {
    Object.assign(options, await readOptions(each, [...path, name], findCommand));
  }
  return options;
}
