import { makeConversation } from '@lachesis/protocol';
import {
  createDatasetVersion,
  openHome,
  recordCaptures,
  registerModel,
  writeFeedback,
  type ModelVersion,
} from '@lachesis/store';
import { createTinkerClient } from '@lachesis/tinker';
import { randomUUID } from 'node:crypto';
import { loadCorpus } from '../sft-tiny/load-corpus.ts';

export interface PreparedModels {
  base: ModelVersion;
  trained: ModelVersion;
  /** The rating behind the trained one, and the trajectory it is about. */
  feedbackId: string;
  trajectoryId: string;
}

/** Far enough from the base model that its replies are others. */
const STEPS = 6;
const LEARNING_RATE = 1e-2;

const QUESTION = 'What comes after red?';
const ANSWER = 'blue and black';

/** A rated chat, a data set of it, and two versions of `support`: the base model, and one that was trained. */
export async function prepareModels(options: { url: string; model: string; home: string }): Promise<PreparedModels> {
  const { url, model, home } = options;
  await using store = await openDisposableStore(home);
  const scope = { store: store.store, tenantId: 'local', blobs: store.blobs };
  const messages = [
    { role: 'user' as const, content: QUESTION },
    { role: 'assistant' as const, content: ANSWER },
  ];
  const at = Date.now();
  const envelope = { record_id: randomUUID(), recorder: 'app', sequence: 0, trajectory: 'first', at, user: null };
  const [receipt] = await recordCaptures({
    ...scope,
    records: [
      {
        ...{ ...envelope, tags: [], consent: 'train', metadata: null, kind: 'messages', source: 'app', model: null },
        ...{ messages, tools: null },
      },
    ],
  });
  const trajectoryId = receipt!.trajectory_id;
  const about = { trajectory_id: trajectoryId, author: 'ada', author_kind: 'person' as const };
  const rated = await writeFeedback({ ...scope, feedback: { ...about, kind: 'thumb', is_up: true } });
  const row = { ...makeConversation({ id: '1', messages }), trajectory_id: trajectoryId };
  const set = await createDatasetVersion({ ...scope, name: 'liked', isHeldOut: false, recipe: {}, rows: [row] });
  const common = { ...scope, name: 'support', baseModel: model };
  const base = await registerModel({ ...common, method: 'base', weightsPath: '' });
  const trained = await registerModel({
    ...common,
    ...{
      method: 'sft',
      weightsPath: await train(url, model),
      run: 'promote',
      step: STEPS,
      parent: base.modelVersionId,
    },
    dataset: { name: set.name, version: set.version, digest: set.content_digest },
  });
  return { base, trained, feedbackId: rated.feedback_id, trajectoryId };
}

async function openDisposableStore(home: string) {
  return await openHome({ home });
}

async function train(url: string, model: string): Promise<string> {
  const { datums } = await loadCorpus({ modelDirectory: model });
  await using service = await createTinkerClient({ baseUrl: url }).connect();
  const training = await service.createTraining({ baseModel: model, rank: 8, seed: 1 });
  for (let step = 0; step < STEPS; step += 1) {
    const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
    await training.optimStep({ learningRate: LEARNING_RATE });
    await pass;
  }
  return (await training.saveForSampler('promoted')).path;
}
