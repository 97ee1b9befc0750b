import { existsSync } from 'node:fs';

/** The interpreter of the venv that holds datasets, TRL and Axolotl; made by .ci/setup, named by .ci/env.sh. */
export function findDatasetsPython(): string {
  const path = process.env['LACHESIS_DATASETS_PYTHON'];
  if (path !== undefined && existsSync(path)) return path;
  throw new Error('LACHESIS_DATASETS_PYTHON names no interpreter; run .ci/setup, then . .ci/env.sh');
}
