import { defineCommand, runCommand } from 'citty';
import { expect, it } from 'vitest';
import { batchFlags, type FlagReader, readFlags } from './flags.ts';

async function parse(rawArgs: string[]): Promise<FlagReader> {
  let flags: FlagReader | undefined;
  const command = defineCommand({
    args: batchFlags,
    run: ({ args }) => {
      flags = readFlags(batchFlags, args, rawArgs);
    },
  });
  await runCommand(command, { rawArgs });
  return flags!;
}

it.each(Object.entries(batchFlags))(
  'knows --%s by the name that Hermes has, and with dashes',
  async (name, { type }) => {
    for (const typed of [`--${name}`, `--${name.replaceAll('_', '-')}`]) {
      const flags = await parse(type === 'boolean' ? [typed, '--seed', '3'] : [typed, '7', '--verbose']);
      expect(type === 'boolean' ? flags.isSet(name) : flags.number(name)).toBe(type === 'boolean' ? true : 7);
      // What stands behind it is read as what it is.
      expect(type === 'boolean' ? flags.number('seed') : flags.isSet('verbose')).toBe(type === 'boolean' ? 3 : true);
    }
  },
);
