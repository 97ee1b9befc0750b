import { createTinkerClient } from '@lachesis/tinker';
import type { TrainingClient } from '@lachesis/tinker';

import { learningRateOf, nameOf, tokensOf } from '../load/operation-key.ts';
import type { TrainerLine } from './trainer-line.ts';

/*
 * A training program that goes on where the one before it was killed. Its n-th operation takes the n-th number of the model,
 * so the number the server waits for says where to go on.
 *
 *     trainer-process.ts URL API_KEY BASE_MODEL JOURNAL OPERATIONS server|journal
 *
 * With `journal` it believes its own journal instead: a mutant that does not ask.
 */

const [baseUrl = '', apiKey = '', baseModel = '', journalPath = '', operations = '', source] = process.argv.slice(2);
/** Called ahead of results, as a program does that keeps its server busy. */
const AHEAD = 3;

const print = (line: TrainerLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const client = createTinkerClient({ baseUrl, apiKey, journalPath, heartbeatMs: false, timeoutMs: 20_000 });
const service = await client.connect();
const { jobs, models } = await service.reattach();
for (const job of jobs) {
  await job.result();
  print({ kind: 'collected', seqId: job.seqId });
}
const [model] = models;
const training =
  model === undefined
    ? await service.createTraining({ baseModel, rank: 4 })
    : await service.attachTraining({ modelId: model.modelId });
const first = source === 'journal' ? (model?.nextSeqId ?? 1) : training.nextSeqId;
print({ kind: 'started', seqId: first });

const under = new Set<Promise<unknown>>();
for (let mark = first; mark <= Number(operations); mark += 1) {
  const work = start(training, mark).then(() => print({ kind: 'done', seqId: mark }));
  under.add(work);
  void work.finally(() => under.delete(work));
  if (under.size >= AHEAD) await Promise.race(under);
}
await Promise.all(under);
print({ kind: 'finished' });
await service.close({ leavesModels: true });

function start(client: TrainingClient, mark: number): Promise<unknown> {
  const tokens = tokensOf(mark);
  const datum = { tokens, inputs: { target_tokens: tokens, weights: new Float32Array(tokens.length).fill(1) } };
  switch (mark % 4) {
    case 0:
      return client.saveState(nameOf(mark));
    case 1:
      return client.forwardBackward([datum], { loss: 'cross_entropy' });
    case 2:
      return client.optimStep({ learningRate: learningRateOf(mark) });
    default:
      return client.forward([datum]);
  }
}
