import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createTinkerClient } from '@lachesis/tinker';
import type { TinkerService, TrainingClient } from '@lachesis/tinker';

import { loadCorpus } from './load-corpus.ts';
import type { Order, Report } from './order.ts';

const LEARNING_RATE = 1e-2;

/** Longer than anybody waits for the kill. */
const HOLD_MS = 120_000;

interface Checkpoint {
  path: string;
  afterSteps: number;
}

const order = JSON.parse(process.argv[2]!) as Order;
const checkpointFile = path.join(order.folder, 'checkpoint.json');
const say = (report: Report): void => void process.stdout.write(`${JSON.stringify(report)}\n`);

const { datums, learnedTokens } = await loadCorpus({ modelDirectory: order.model });
const service = await createTinkerClient({
  baseUrl: order.url,
  journalPath: path.join(order.folder, 'journal.jsonl'),
}).connect();
const { training, fromStep } = await begin(service);
for (let step = fromStep; step < order.steps; step += 1) {
  const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
  if (step === order.holdBefore) {
    await pass;
    say({ kind: 'holding', step });
    await sleep(HOLD_MS);
  }
  const applied = training.optimStep({ learningRate: LEARNING_RATE });
  say({ kind: 'loss', step, loss: (await pass).metrics['loss:sum']! / learnedTokens });
  await applied;
  if (step + 1 === order.saveAfter) await save(training, step + 1);
}
await service.close();
say({ kind: 'done' });

async function begin(service: TinkerService): Promise<{ training: TrainingClient; fromStep: number }> {
  if (!existsSync(checkpointFile)) {
    return { training: await service.createTraining({ baseModel: order.model, rank: 8, seed: 1 }), fromStep: 0 };
  }
  const { path: saved, afterSteps } = JSON.parse(await readFile(checkpointFile, 'utf8')) as Checkpoint;
  // The model of the life before goes first, so that the next one gets its place, with all that is left in it.
  const { models } = await service.reattach();
  for (const { modelId } of models) await (await service.attachTraining({ modelId })).close();
  say({ kind: 'resumed', fromStep: afterSteps, releasedModels: models.length });
  const optimizer = order.restores === 'weights and optimiser';
  return { training: await service.createTrainingFromState(saved, { optimizer }), fromStep: afterSteps };
}

async function save(training: TrainingClient, afterSteps: number): Promise<void> {
  const { path: saved } = await training.saveState(`after-${afterSteps}`);
  // If we die before the rename, the next life begins anew; what is there is always whole.
  await writeFile(`${checkpointFile}.new`, JSON.stringify({ path: saved, afterSteps } satisfies Checkpoint));
  await rename(`${checkpointFile}.new`, checkpointFile);
  say({ kind: 'saved', afterSteps });
}
