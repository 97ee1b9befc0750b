import { defineCommand } from 'citty';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { quotePath } from '../../flags/engine.ts';
import { listProjectFiles } from './files.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

export const initCommand = defineCommand({
  meta: { name: 'init', description: 'Begin a project: an environment that works, a recipe, and what to type next.' },
  args: {
    folder: { type: 'positional', required: false, description: 'where (default: this folder)' },
    ...flags,
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const folder = resolve(args.folder ?? '.');
    const { written, kept } = await writeProject(folder).catch((error: NodeJS.ErrnoException) =>
      fail(`${folder} cannot be written (${error.code ?? error.message}). Choose another folder.`),
    );
    const shown = quotePath(relative(process.cwd(), folder) || '.');
    if (args.json === true) process.stdout.write(`${JSON.stringify({ folder, written, kept })}\n`);
    else process.stdout.write(describe({ shown, written, kept }));
  },
});

/** A file that is there is somebody's work, and stays. */
async function writeProject(folder: string): Promise<{ written: string[]; kept: string[] }> {
  const written: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of listProjectFiles({ name: basename(folder) })) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    try {
      await writeFile(file, text, { flag: 'wx' });
      written.push(path);
    } catch (error) {
      if (!existsSync(file)) throw error;
      kept.push(path);
    }
  }
  return { written, kept };
}

function describe({ shown, written, kept }: { shown: string; written: string[]; kept: string[] }): string {
  const [environment = '', recipe = ''] = listProjectFiles({ name: '' }).map(({ path }) => path);
  return [
    ...written.map((path) => `wrote ${path}`),
    ...kept.map((path) => `left  ${path} as it was`),
    '',
    ...(shown === '.' ? [] : [`  cd ${shown}`]),
    '  lachesis doctor',
    `  lachesis env check ${environment}`,
    `  lachesis train --config ${recipe} --start-engine`,
    '',
  ].join('\n');
}
