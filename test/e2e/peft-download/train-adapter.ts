import { writeFile } from 'node:fs/promises';

import { createTinkerClient } from '@lachesis/tinker';
import { planArchive } from '../../../packages/tinker/src/weights/request-plans.ts';

import { loadCorpus } from '../sft-tiny/load-corpus.ts';

export interface TrainedAdapter {
  /** The name of the weights on the engine. */
  readonly path: string;
  /** A file with sequences and the log probabilities the engine gave them with these weights. */
  readonly probe: string;
  /** The archive as the engine sends it. */
  readonly archive: string;
}

export const RANK = 8;
/** What the engine uses, whatever is asked for. */
export const ALPHA = 32;

/** Far enough from the base model that every matrix matters. */
const STEPS = 6;
const LEARNING_RATE = 1e-2;

/** Trains an adapter on the engine, and takes down what the engine says of it. `place` begins the names of the files. */
export async function trainAdapter(options: { url: string; model: string; place: string }): Promise<TrainedAdapter> {
  const { url, model, place } = options;
  const { datums } = await loadCorpus({ modelDirectory: model });
  await using service = await createTinkerClient({ baseUrl: url }).connect();
  const training = await service.createTraining({ baseModel: model, rank: RANK, seed: 1 });
  for (let step = 0; step < STEPS; step += 1) {
    const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
    await training.optimStep({ learningRate: LEARNING_RATE });
    await pass;
  }
  const { logprobs } = await training.forward(datums);
  const { path } = await training.saveForSampler('final');
  const sequences = datums.map(({ tokens, inputs }, index) => ({
    tokens: [...tokens],
    targets: [...(inputs['target_tokens'] as Int32Array)],
    logprobs: [...logprobs[index]!],
  }));
  await writeFile(`${place}-probe.json`, JSON.stringify(sequences));
  const reply = await fetch(`${url}/${planArchive(path, 'bare').path}`);
  if (!reply.ok) throw new Error(`the engine answered ${reply.status} to the archive of ${path}`);
  await writeFile(`${place}.tar.gz`, new Uint8Array(await reply.arrayBuffer()));
  return { path, probe: `${place}-probe.json`, archive: `${place}.tar.gz` };
}
