import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { useRealTransformers } from '../../peers/atropos/real-transformers.ts';

const ENVIRONMENT = fileURLToPath(new URL('../../peers/atropos/vowels_env.py', import.meta.url));

/** What somebody who comes from Atropos has: an environment, and a Python that runs it. */
export async function bringAtropos(folder: string): Promise<void> {
  const python = process.env['LACHESIS_ATROPOS_PYTHON'];
  if (python === undefined) throw new Error('LACHESIS_ATROPOS_PYTHON is not set: run .ci/setup, then `. .ci/env.sh`');
  await copyFile(ENVIRONMENT, join(folder, 'my_env.py'));
  const programs = join(folder, '.venv', 'bin');
  await mkdir(programs, { recursive: true });
  // The venv of the tests has its packages in two places.
  const variables = Object.entries(useRealTransformers()).map(([name, value]) => `export ${name}='${value}'`);
  const program = join(programs, 'python');
  await writeFile(program, ['#!/bin/sh', ...variables, `exec '${python}' "$@"`, ''].join('\n'));
  await chmod(program, 0o755);
}
