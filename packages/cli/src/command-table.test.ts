import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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

// Each module is a millisecond before the first word.
it('loads for a command neither its neighbours nor what they need', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-loaded-'));
  try {
    const report = `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => { process.stderr.write(name + '\\n'); return next(name, context); } });`;
    const hooks = `data:text/javascript,${encodeURIComponent(report)}`;
    const words = [fileURLToPath(new URL('main.ts', import.meta.url)), 'models', 'list', '--home', home];
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['--conditions=lachesis-source', '--import', hooks, ...words],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    const loaded = new Set(stderr.split('\n'));
    expect(loaded).toContain('./list.ts');
    expect(loaded).toContain('@lachesis/store');
    for (const name of ['./compare.ts', './export.ts', '@lachesis/data', '@lachesis/tinker'])
      expect(loaded).not.toContain(name);
  } finally {
    await rm(home, { recursive: true });
  }
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
