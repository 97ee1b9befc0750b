import type { LearningFinding } from '@lachesis/protocol';
import { openStore, recordMetricPoints, type Store } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  judgeLearning,
  LEARNING_JUDGES,
  type LearningJudge,
} from '../../../packages/server/src/services/runs/why/learning/judge-learning.ts';
import { readCurves } from '../../../packages/server/src/services/runs/why/learning/read-learning.ts';
import { CURVES, type RecordedRun } from './record-curves.ts';
import type { Seed } from './seeds.ts';

export type Judges = Readonly<Record<string, LearningJudge>>;

/** A run that was recorded, judged after each of its steps as a server would: from the store, and its recipe. */
export async function judgeRecorded(options: {
  seed: Seed;
  folder: string;
  /** Where its curves are; those that were recorded once by default. */
  curvesFolder?: string;
  /** What the check before the start finds against the template of the model. */
  templateProblem: string | null;
  judges?: Judges;
}): Promise<{ step: number; found: LearningFinding[] }[]> {
  const { seed, folder, curvesFolder = CURVES, templateProblem, judges = LEARNING_JUDGES } = options;
  const recorded = JSON.parse(await readFile(join(curvesFolder, `${seed.name}.json`), 'utf8')) as RecordedRun;
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  try {
    const judged: { step: number; found: LearningFinding[] }[] = [];
    for (let step = 1; step <= seed.steps; step += 1) {
      const curves = await writeStep(store, recorded, step);
      const found = judgeLearning(
        {
          ...{ run: seed.name, environment: seed.environment, configPath: 'recipe.yaml', templateProblem, curves },
          ...{ env: recorded.recipe.env, tinker: recorded.recipe.tinker },
        },
        judges,
      );
      judged.push({ step, found });
    }
    return judged;
  } finally {
    await store.close();
  }
}

async function writeStep(store: Store, { name, series }: RecordedRun, step: number): ReturnType<typeof readCurves> {
  const scope = { store, tenantId: 'local', runId: name };
  const points = Object.entries(series).flatMap(([of, values]) =>
    values.filter(([at]) => at === step).map(([at, value]) => ({ series: of, step: at, at, value })),
  );
  if (points.length > 0) await recordMetricPoints({ ...scope, points });
  return await readCurves(scope);
}
