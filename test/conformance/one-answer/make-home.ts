import { createIdSource, makeConversation } from '@lachesis/protocol';
import {
  createDatasetVersion,
  openHome,
  promoteModel,
  recordCaptures,
  recordLineage,
  registerModel,
  startImprovement,
  writeFeedback,
} from '@lachesis/store';

import { makeCall } from '../../../packages/server/src/control/bench.case.ts';
import type { Known } from './commands.ts';

/** A home with two recorded calls, ratings, a data set, two versions of a model, and what ties them. */
export async function makeHome(home: string): Promise<Known> {
  await using opened = await openHome({ home });
  const { store, blobs } = opened;
  const scope = { store, tenantId: 'local' };
  const ids = createIdSource();
  const receipts = await recordCaptures({
    ...{ ...scope, blobs, ids },
    records: [makeCall(), makeCall({ messages: [{ role: 'user', content: 'How far is the sun?' }] })],
  });
  const trajectoryId = receipts[0]?.trajectory_id ?? '';
  const common = { trajectory_id: trajectoryId, author: 'ada', author_kind: 'person' } as const;
  const rated = await writeFeedback({ ...scope, ids, feedback: { ...common, kind: 'stars', stars: 4 } });
  await writeFeedback({ ...scope, ids, feedback: { ...common, author: 'ben', kind: 'thumb', is_up: false } });
  const set = await createDatasetVersion({
    ...{ ...scope, blobs, name: 'chats', isHeldOut: false, recipe: {} },
    rows: [
      makeConversation({
        id: '1',
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: 'a' },
        ],
      }),
    ],
  });
  const model = { ...scope, name: 'support', baseModel: 'tiny', method: 'sft', run: 'r' } as const;
  const dataset = { name: 'chats', version: 1, digest: set.content_digest };
  await registerModel({ ...model, step: 5, weightsPath: 'tinker://m/5', dataset, config: { lr: 0.1, tags: ['a'] } });
  await registerModel({ ...model, step: 9, weightsPath: 'tinker://m/9', parent: 'support@1' });
  await promoteModel({ ...scope, name: 'support', version: 1, reason: 'first', by: 'ada' });
  await startImprovement({ ...scope, model: 'support', plan: {}, stage: 'collect' });
  await recordLineage({
    ...scope,
    arrows: [
      {
        from: { kind: 'feedback', id: rated.feedback_id },
        to: { kind: 'dataset', id: set.dataset_id },
        relation: 'row-of',
      },
    ],
  });
  return { trajectoryId, feedbackId: rated.feedback_id };
}
