import { expect, it } from 'vitest';
import { makeRun } from '../../runs/run.fixture.ts';
import { findWeights, readWeightsPath } from './find.ts';

const newest = 'tinker://model_1/sampler_weights/policy-3';
const checkpoint = (name: string, kind = 'sampler_weights') => ({
  ...{ checkpoint_id: `${kind}/${name}`, checkpoint_type: kind === 'weights' ? 'training' : 'sampler' },
  tinker_path: `tinker://model_1/${kind}/${name}`,
});

/** A run whose steps 1 to 4 made versions 1, 2, 2 and 3: the third had nothing to learn from. */
function ask(step: number | undefined, kept: object[], weightsPath: string | null = newest) {
  const asked: string[] = [];
  const client = {
    readRun: async () => makeRun({ weights_path: weightsPath, metrics: { step: 4, state: 'running' } }),
    readMetrics: async () => ({
      ...{ run_id: 'k3v9x2ab', status: 'running' as const, environment: 'digits', final_metrics: {}, series: [] },
      ...{ metrics_url: null, weights_path: null, wandb_project: null, wandb_run_name: null },
      history: [1, 2, 2, 3].map((version, index) => ({ step: index + 1, 'train/policy_version': version })),
    }),
  };
  const engine = {
    baseUrl: 'http://engine/',
    headers: () => ({ 'x-api-key': 'k' }),
    fetch: async (url: string | URL | Request) => {
      asked.push(url instanceof Request ? url.url : url.toString());
      return Response.json({ checkpoints: kept });
    },
  };
  return { asked, found: findWeights({ client, runId: 'k3v9x2ab', step, engine }) };
}

it('takes the newest weights without asking the engine', async () => {
  const { asked, found } = ask(undefined, []);
  expect(await found).toEqual({ path: newest, step: 4 });
  expect(asked).toEqual([]);
});

it('finds the weights a step made, under the name that was used in the end', async () => {
  const kept = [
    checkpoint('policy-2'),
    checkpoint('policy-2-2'),
    checkpoint('policy-3'),
    checkpoint('policy-9', 'weights'),
  ];
  const { asked, found } = ask(2, kept);
  expect(await found).toEqual({ path: 'tinker://model_1/sampler_weights/policy-2-2', step: 2 });
  expect(asked).toEqual(['http://engine/api/v1/training_runs/model_1/checkpoints']);
  // A step without an update leaves the weights as they were.
  expect((await ask(3, kept).found).path).toBe('tinker://model_1/sampler_weights/policy-2-2');
});

it('says which steps there are when the one asked for is not kept', async () => {
  await expect(ask(1, [checkpoint('policy-3')]).found).rejects.toThrow(
    'the weights of step 1 of run k3v9x2ab are not kept. The engine has those of steps 4;',
  );
  await expect(ask(70, []).found).rejects.toThrow('of no step that is known');
});

it('says that there are none yet', async () => {
  await expect(ask(undefined, [], null).found).rejects.toThrow('has saved no weights: it is running at step 4');
});

it('takes a tinker:// path as it stands', () => {
  expect(readWeightsPath(newest)).toEqual({ path: newest, step: null });
  expect(readWeightsPath('k3v9x2ab')).toBeUndefined();
});
