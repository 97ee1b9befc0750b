import type { CaptureRecord } from '@lachesis/protocol';
import {
  acquireImprovement,
  advanceImprovement,
  openHome,
  promoteModel,
  recordCaptures,
  recordModelEvaluation,
  registerModel,
  startImprovement,
  writeFeedback,
  type Home,
} from '@lachesis/store';

import { makeLibraryDataset } from '../../../packages/server/src/services/library/datasets.ts';

/** What the pages of the library are opened on. */
export const LIBRARY = { model: 'support', dataset: 'chats', heldOut: 'chats-held-out' } as const;

const CHATS = 24;
const TENANT = 'local';

/** Recorded and rated chats, with and without a price; sets made of them, a model that learnt from one, and its gate. */
export async function fillLibrary(folder: string): Promise<void> {
  await using home = await openHome({ home: folder });
  const { store, blobs } = home;
  const scope = { store, tenantId: TENANT };
  const chats = await recordChats(home);
  for (const [index, trajectory] of chats.entries()) {
    const about = { trajectory_id: trajectory, author: 'ada', author_kind: 'person' as const };
    await writeFeedback({ ...scope, feedback: { ...about, kind: 'stars', stars: (index % 5) + 1 } });
  }
  const made = { ...scope, blobs };
  const plain = { kind: 'conversation' as const, transforms: [], held_out: 'refuse' as const };
  await makeLibraryDataset({
    ...{ ...made, name: LIBRARY.heldOut },
    make: { ...plain, filter: { model: 'other/large' }, is_held_out: true },
  });
  const { dataset } = await makeLibraryDataset({
    ...{ ...made, name: LIBRARY.dataset },
    make: { ...plain, filter: { model: 'tiny', min_rating: 0.5 }, is_held_out: false },
  });
  const common = { ...scope, name: LIBRARY.model, baseModel: 'tiny' };
  await registerModel({ ...common, method: 'base', weightsPath: '' });
  const learnt = { name: dataset.name, version: dataset.version, digest: dataset.content_digest };
  const config = { learning_rate: 0.0001, batch_size: 8 };
  for (const step of [1, 2]) {
    const { modelVersionId } = await registerModel({
      ...{ ...common, method: 'dpo', weightsPath: `tinker://support/${step}`, config, dataset: learnt },
      ...{ run: 'k3v9x0ab', step: step * 20, parent: `${LIBRARY.model}@${step}` },
    });
    const content = {
      current_mean: 0.41,
      candidate_mean: 0.41 + step / 10,
      interval: [step / 20, step / 5],
      items: 32,
    };
    await recordModelEvaluation({ ...scope, ref: modelVersionId, name: 'improve/held-out', content });
  }
  await promoteModel({ ...scope, name: LIBRARY.model, version: 1, by: 'ada', reason: 'the first one' });
  await endImprovementOf(home, `${LIBRARY.model}@2`);
}

async function recordChats({ store, blobs }: Home): Promise<string[]> {
  const now = Date.now();
  const records = Array.from({ length: CHATS }, (_, index): CaptureRecord => {
    const at = now - index * 5 * 3_600_000;
    const isLarge = index % 6 === 5;
    return {
      ...{ record_id: `0192bbbb-0000-7000-8000-${String(index).padStart(12, '0')}`, recorder: `app-${index}` },
      ...{ sequence: 0, trajectory: `chat-${index}`, at, user: 'ann', tags: [], consent: 'train', metadata: null },
      ...{ kind: 'call', state: 'complete', source: 'app', model: isLarge ? 'other/large' : 'tiny' },
      messages: [{ role: 'user', content: `Where is order ${1_000 + index}?` }],
      ...{ tools: null, sampling: {}, is_stream: false },
      replies: [
        {
          message: { role: 'assistant', content: `Order ${1_000 + index} left the house on Monday.` },
          ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' },
        },
      ],
      usage: { prompt_tokens: 12, completion_tokens: 14, total_tokens: 26 },
      cost: isLarge ? null : 0.0004 * (index + 1),
      ...{ upstream: null, started_at: at, first_token_at: at + 120, ended_at: at + 900, error: null },
    };
  });
  const receipts = await recordCaptures({ store, blobs, tenantId: TENANT, records });
  return receipts.map(({ trajectory_id: id }) => id);
}

/** An improvement that trained this version, and whose gate stayed closed. */
async function endImprovementOf({ store }: Home, ref: string): Promise<void> {
  const scope = { store, tenantId: TENANT };
  const { improvement } = await startImprovement({ ...scope, model: LIBRARY.model, plan: {}, stage: 'train' });
  const held = await acquireImprovement({
    ...{ ...scope, improvementId: improvement.improvementId, holder: 'test', seconds: 60 },
  });
  if (held === undefined) throw new Error('somebody else has the improvement');
  const model = await store.db
    .selectFrom('model_versions')
    .select('model_version_id')
    .where('name', '=', LIBRARY.model)
    .where('version', '=', Number(ref.split('@')[1]))
    .executeTakeFirstOrThrow();
  const { lease } = held;
  const content = { model: ref, model_version_id: model.model_version_id };
  await advanceImprovement({ store, lease, from: 'train', content, to: { stage: 'evaluate' } });
  const reason = 'paired difference +0.100 on 6 held-out items (95 %: −0.050 to +0.250)';
  await advanceImprovement({
    store,
    lease,
    from: 'evaluate',
    content: { items: 6 },
    to: { outcome: 'not-better', reason },
  });
}
