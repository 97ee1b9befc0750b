import { prepareBatches } from '../../../peers/atropos/start-trainer.ts';
import type { PreparedBatch } from '../../../peers/atropos/start-trainer.ts';
import { startRunApi } from '../../../peers/atropos/start-run-api.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { callJson } from '../call.ts';
import { finishAll } from '../finish-all.ts';
import { verifies } from '../requirements.ts';
import { own, startSubject } from '../subject.ts';
import { waitFor } from '../wait-for.ts';

const BATCH_SIZE = 8;

export const trainerScenario: Scenario = {
  name: 'trainer',
  title:
    "the example trainer's own register_trainer, get_batch, get_data and padding give the tensors they give with the original",
  async run(context) {
    verifies('trainer-client', 'floats-stay-floats', 'fourteen-keys', 'register', 'batch');
    const subject = await startSubject({ context });
    const original = own(context, await startRunApi());
    const [ours = [], theirs = []] = await finishAll(
      [subject.url, original.url].map((url) => prepareFrom(context, url)),
    );
    const same = ours.filter((batch) => theirs.includes(batch)).length;
    if (same < theirs.length) context.log(`ours: ${ours.join('\n')}\noriginal: ${theirs.join('\n')}`);
    const dtypes = new Set(ours.flatMap((batch) => listAdvantageTypes(JSON.parse(batch) as PreparedBatch)));
    context.report({
      name: 'trainer client',
      figure: `${same} of ${theirs.length} batches with equal tensors, advantages ${[...dtypes].join(', ')}`,
      bar: '2 of 2, float64',
      ok: same === 2 && ours.length === 2 && theirs.length === 2 && dtypes.size === 1 && dtypes.has('float64'),
    });
  },
};

/** Each batch as text, in no particular order: the original delivers newest first. */
async function prepareFrom(context: ScenarioContext, url: string): Promise<string[]> {
  const cwd = await context.scratch();
  const preparing = prepareBatches({ url, batchSize: BATCH_SIZE, microBatch: 2, cwd, timeoutMs: 40_000 });
  await finishAll<unknown>([preparing, feed(url)]);
  return (await preparing).map((batch) => JSON.stringify(batch));
}

async function feed(url: string): Promise<void> {
  await waitFor({
    what: 'the trainer to register',
    timeoutMs: 20_000,
    until: async () => (await callJson<{ batch_size: number }>(url, 'GET', '/info')).batch_size === BATCH_SIZE,
  });
  // One request for all, so that the trainer sees both batches in the same drain.
  await callJson(url, 'POST', '/scored_data_list', makeGroups());
}

/**
 * The first batch is one group of four and four of one: a group of one keeps the dtype its score arrives with, so whole
 * scores show whether they came back as floats. The second has what the trainer reads besides tokens.
 */
function makeGroups(): unknown[] {
  const single = (score: number): unknown => makeGroup({ lengths: [5], scores: [score] });
  return [
    makeGroup({ lengths: [70, 3, 64, 65], scores: [0, 1, 0, 1] }),
    ...[1, 0, 2, 3].map(single),
    makeGroup({
      lengths: [10, 20, 30, 40],
      scores: [0.5, 1, 0.25, 0],
      overrides: [{ set_advantage_to_zero: true }, {}, { temperature: 2 }, {}],
      generation_params: { temperature: 0.7 },
    }),
    makeGroup({ lengths: [9, 9, 9, 9], scores: [1, 2, 3, 4], group_overrides: { temperature: 0.25 } }),
  ];
}

function makeGroup(options: {
  lengths: readonly number[];
  scores: readonly number[];
  [field: string]: unknown;
}): unknown {
  const { lengths, scores, ...fields } = options;
  const tokens = lengths.map((length, row) => Array.from({ length }, (_, index) => 100 * row + index + 1));
  return {
    tokens,
    masks: tokens.map((row) => row.map((token, index) => (index < 2 ? -100 : token))),
    inference_logprobs: tokens.map((row) => row.map((_, index) => (index < 2 ? 1 : -0.125 * index))),
    scores,
    ...fields,
  };
}

function listAdvantageTypes(batch: PreparedBatch): string[] {
  return batch.advantages.map(({ dtype }) => dtype);
}
