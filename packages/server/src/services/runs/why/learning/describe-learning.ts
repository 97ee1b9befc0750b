import type { Store, TrainingRun } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findLoopRun } from '../../describe-run.ts';
import { readRunDetails } from '../../details.ts';
import type { Learning } from './learning.ts';
import { readCurves } from './read-learning.ts';

interface RunConfig {
  recipe?: { env?: Record<string, unknown>; tinker?: Record<string, unknown> };
  environmentFile?: Record<string, unknown>;
}

/** What is known of a run's learning: its settings from its row, its curves from the store. */
export async function describeLearning({ store, run }: { store: Store; run: TrainingRun }): Promise<Learning> {
  const { directory, configPath } = readRunDetails(run.details);
  const { recipe, environmentFile } = run.config as unknown as RunConfig;
  const [loop, templateProblem] = await Promise.all([findLoopRun({ store, run }), readTemplateProblem(directory)]);
  return {
    ...{ run: run.shortId, environment: run.environment, configPath: configPath === '' ? null : configPath },
    ...{ env: { ...recipe?.env, ...environmentFile }, tinker: recipe?.tinker ?? {}, templateProblem },
    curves: loop === undefined ? new Map() : await readCurves({ store, tenantId: loop.tenantId, runId: loop.runId }),
  };
}

/** What the check before the start wrote down; a run without one has nothing against it. */
async function readTemplateProblem(directory: string): Promise<string | null> {
  if (directory === '') return null;
  try {
    const { steps } = JSON.parse(await readFile(join(directory, 'preflight.json'), 'utf8')) as {
      steps?: { name: string; state: string; message: string }[];
    };
    return steps?.find(({ name, state }) => name === 'template' && state === 'warned')?.message ?? null;
  } catch {
    // There is none, or it is being written: the next answer knows more.
    return null;
  }
}
