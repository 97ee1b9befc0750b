import { trainerSectionSchema } from '../../../packages/protocol/src/recipe/trainer-section.ts';

import { COMMANDS, type CommandEntry } from '../../../packages/cli/src/command-table.ts';
import { baseConfigSchema } from '../../../packages/sdk/src/environment/config/base-config.ts';

const SETTINGS: Readonly<Record<string, object>> = { env: baseConfigSchema.shape, tinker: trainerSectionSchema.shape };

/** Why a command could not be typed as it stands; undefined when it can. */
export function findCommandProblem(command: string): string | undefined {
  const [program, ...words] = command.split(' ');
  if (program !== 'lachesis') return `it begins with ${program}`;
  let entry: CommandEntry | undefined = COMMANDS;
  for (const word of words) {
    if (word.startsWith('-') || entry?.commands === undefined) break;
    const below: CommandEntry | undefined = entry.commands[word];
    if (below === undefined && entry.isRunAlone !== true) return `there is no command ${word}`;
    if (below === undefined) break;
    entry = below;
  }
  for (const word of words.filter((each) => /^--\w+\./.test(each))) {
    const [, section = '', name = ''] = /^--(\w+)\.(\w+)$/.exec(word) ?? [];
    if (!(name in (SETTINGS[section] ?? {}))) return `there is no setting ${word}`;
  }
  return undefined;
}
