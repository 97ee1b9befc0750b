import {
  acquireImprovement,
  advanceImprovement,
  openHome,
  promoteModel,
  recordModelEvaluation,
  registerModel,
  rollbackModel,
  startImprovement,
  type Home,
} from '@lachesis/store';
import { makeLibraryDataset } from '../../packages/server/src/services/library/datasets.ts';
import { CHAT_MODELS, recordChats, type RecordChatsOptions } from './record-chats.ts';

/** What the pages of the library are opened on. */
export const LIBRARY = { model: 'support', dataset: 'chats', heldOut: 'chats-held-out' } as const;

/** What is in a library besides runs. */
export interface LibraryPlan extends Pick<RecordChatsOptions, 'count' | 'failing' | 'people' | 'unrated'> {
  /** How many versions the model of the chats has; the first is its base. */
  versions: number;
  /** The last version was promoted, and taken back. */
  isRolledBack?: boolean;
}

const TENANT = 'local';

/** Recorded and rated chats, sets made of them, a model that learnt from one, and its gate. */
export async function fillLibrary(folder: string, plan: LibraryPlan, now: number): Promise<void> {
  await using home = await openHome({ home: folder });
  const { store, blobs } = home;
  await recordChats({ ...plan, home, now });
  if (plan.versions === 0) return;
  const made = { store, tenantId: TENANT, blobs };
  const plain = { kind: 'conversation' as const, transforms: [], held_out: 'refuse' as const };
  await makeLibraryDataset({
    ...{ ...made, name: LIBRARY.heldOut },
    make: { ...plain, filter: { model: CHAT_MODELS.other }, is_held_out: true },
  });
  const { dataset } = await makeLibraryDataset({
    ...{ ...made, name: LIBRARY.dataset },
    make: { ...plain, filter: { model: CHAT_MODELS.own, min_rating: 0.5 }, is_held_out: false },
  });
  await registerVersions(home, plan, { name: dataset.name, version: dataset.version, digest: dataset.content_digest });
}

async function registerVersions(
  home: Home,
  { versions, people, isRolledBack = false }: LibraryPlan,
  dataset: { name: string; version: number; digest: string },
): Promise<void> {
  const scope = { store: home.store, tenantId: TENANT };
  const common = { ...scope, name: LIBRARY.model, baseModel: CHAT_MODELS.own };
  const by = people[0] ?? 'ada';
  const base = await registerModel({ ...common, method: 'base', weightsPath: '' });
  const content = { mean: 0.52, pass_rate: 0.56, items: 48 };
  await recordModelEvaluation({ ...scope, ref: base.modelVersionId, name: 'judge/answers', content });
  for (let step = 1; step < versions; step += 1) {
    const config = { learning_rate: 0.0001 / step, batch_size: 8, epochs: step };
    const { modelVersionId } = await registerModel({
      ...{
        ...common,
        method: step % 3 === 0 ? 'sft' : 'dpo',
        weightsPath: `tinker://support/${step}`,
        config,
        dataset,
      },
      ...{ run: 'k3v9x0ab', step: step * 20, parent: `${LIBRARY.model}@${step}` },
    });
    const gain = step / 10;
    const evaluations = {
      'improve/held-out': {
        current_mean: 0.41,
        candidate_mean: 0.41 + gain,
        interval: [gain - 0.06, gain + 0.07],
        items: 32,
      },
      'judge/answers': { mean: 0.55 + gain / 2, pass_rate: 0.6 + gain / 2, items: 48 },
    };
    for (const [name, content] of Object.entries(evaluations))
      await recordModelEvaluation({ ...scope, ref: modelVersionId, name, content });
  }
  await promoteModel({ ...scope, name: LIBRARY.model, version: 1, by, reason: 'the first one' });
  if (isRolledBack) {
    await promoteModel({ ...scope, name: LIBRARY.model, version: versions, by, reason: 'better on held-out rows' });
    await rollbackModel({ ...scope, name: LIBRARY.model, by, reason: 'it promises refunds that we do not give' });
  }
  if (versions > 1) await endImprovementOf(home, `${LIBRARY.model}@2`);
}

/** An improvement that trained this version, and whose gate stayed closed. */
async function endImprovementOf({ store }: Home, ref: string): Promise<void> {
  const scope = { store, tenantId: TENANT };
  const { improvement } = await startImprovement({ ...scope, model: LIBRARY.model, plan: {}, stage: 'train' });
  const held = await acquireImprovement({
    ...{ ...scope, improvementId: improvement.improvementId, holder: 'seed', seconds: 60 },
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
  const to = { outcome: 'not-better' as const, reason };
  await advanceImprovement({ store, lease, from: 'evaluate', content: { items: 6 }, to });
}
