import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS, VERSION, type CommandEntry } from './command-table.ts';
import { mainCommand } from './main-command.ts';

/** What is read of a command of citty: anything in it may be a promise or a function. */
interface Command {
  meta?: unknown;
  subCommands?: unknown;
  run?: unknown;
}

it('says of each command what the command says of itself', async () => {
  expect(await readEntry(mainCommand)).toEqual(COMMANDS);
});

it('has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(VERSION).toBe(version);
});

async function readEntry(command: Command): Promise<CommandEntry> {
  const { description = '' } = (await resolve(command.meta)) as { description?: string };
  const below = (await resolve(command.subCommands)) as Record<string, unknown> | undefined;
  if (below === undefined) return { description };
  const commands: Record<string, CommandEntry> = {};
  for (const [name, each] of Object.entries(below)) commands[name] = await readEntry((await resolve(each)) as Command);
  return { description, ...(command.run === undefined ? {} : { isRunAlone: true as const }), commands };
}

async function resolve(value: unknown): Promise<unknown> {
  return await (typeof value === 'function' ? (value as () => unknown)() : value);
}
