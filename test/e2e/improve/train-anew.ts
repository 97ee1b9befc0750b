import { randomUUID } from 'node:crypto';

import { summariseDifferences } from '@lachesis/protocol';
import { trainOnRecords } from '@lachesis/server';
import { beginImprovement, improveModel } from '@lachesis/server/processes';
import { openHome } from '@lachesis/store';

import { MODEL } from './prepare-home.ts';

/**
 * The seeded fault: a pipeline that gives its training another name each time, so that a process which dies behind the
 * training has the next one train again. The second life goes on to the end.
 */
export async function trainAnew(options: {
  home: string;
  engineUrl: string;
  training: Readonly<Record<string, number | string | boolean>>;
}): Promise<{ steps: number; outcome: string | null; reason: string | null }> {
  const { home, engineUrl, training } = options;
  const tenantId = 'local';
  await using opened = await openHome({ home });
  const { store, blobs } = opened;
  const plan: Parameters<typeof beginImprovement>[0]['plan'] = {
    ...{ model: MODEL, training: { ...training }, min_ratings: 100, held_out_share: 0.4 },
    method: 'dpo',
  };
  const { improvement } = await beginImprovement({ store, tenantId, plan });
  const { improvementId } = improvement;
  let [steps, lives] = [0, 0];
  const faulty: Parameters<typeof improveModel>[0] = {
    ...{ store, blobs, home, tenantId, improvementId, tinker: { baseUrl: engineUrl, apiKey: 'tml-none' } },
    summarise: summariseDifferences,
    train: async (order) => {
      const result = await trainOnRecords({ ...order, run: `anew-${randomUUID()}` });
      ({ steps } = result);
      lives += 1;
      // It dies here: the training is done, and nobody wrote that down.
      if (lives === 1) throw new Error('killed');
      return result;
    },
  };
  const died = await improveModel(faulty).then(
    () => false,
    () => lives === 1,
  );
  if (!died) throw new Error('the first life did not die behind its training');
  const { outcome, reason } = await improveModel(faulty);
  return { steps, outcome, reason };
}
