import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Datum } from '@lachesis/tinker';

import { startProcess } from '../../../kit/start-process.ts';
import type { Recipe, RecipeResult } from './recipe.ts';

const SCRIPT = fileURLToPath(new URL('run_with_sdk.py', import.meta.url));

/** The interpreter that holds the official client; made by .ci/setup, named by .ci/env.sh. */
function findSdkPython(): string {
  const path = process.env['LACHESIS_ENGINE_PYTHON'];
  if (path === undefined || !existsSync(path)) {
    throw new Error('LACHESIS_ENGINE_PYTHON names no interpreter: run .ci/setup, then `. .ci/env.sh`');
  }
  return path;
}

export interface RunOfficialOptions {
  readonly url: string;
  readonly baseModel: string;
  readonly recipe: Recipe;
  /** Where the recipe is written for it. */
  readonly folder: string;
  /** Runs when the show ends: the process must not outlive it. */
  readonly defer: (cleanup: () => Promise<void>) => void;
}

/** Carries the recipe out with the official Python client. */
export async function runOfficial(options: RunOfficialOptions): Promise<RecipeResult & { version: string }> {
  const { url, baseModel, recipe, folder, defer } = options;
  const file = join(folder, 'recipe.json');
  await writeFile(file, JSON.stringify(toPlain(recipe)));
  let printed = '';
  const running = await startProcess({
    command: findSdkPython(),
    args: ['-B', SCRIPT, url, baseModel, file],
    name: 'the official client',
    env: { no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' },
    onLine: (line) => {
      if (line.startsWith('{')) printed = line;
    },
  });
  defer(async () => void (await running.stop()));
  const { code } = await running.exited;
  // The last line comes with the end of its output, a moment after the end of the process.
  await new Promise((resolve) => setImmediate(resolve));
  if (code !== 0 || printed === '') throw new Error(`the official client failed:\n${running.logs()}`);
  return JSON.parse(printed) as RecipeResult & { version: string };
}

function toPlain(recipe: Recipe): unknown {
  const plain = ({ tokens, inputs }: Datum): unknown => ({
    tokens: [...tokens],
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, values]) => [name, [...(values as Float32Array)]])),
  });
  return {
    ...recipe,
    blocks: recipe.blocks.map((block) => ({ ...block, datums: block.datums.map(plain) })),
    probe: recipe.probe.map(plain),
  };
}
