import type { Clock, RunStatus, WhyReply } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { expect, it } from 'vitest';
import { describeChanges } from './describe-changes.ts';
import { makeRun } from './run.fixture.ts';
import type { RunView } from './run-view.ts';
import { watchRun } from './watch-run.ts';

const away = () => new ClientError({ code: 'connection', call: 'GET /', reason: 'away', retryable: true });
const at = (step: number, change: Partial<RunStatus> = {}) =>
  makeRun({ ...change, metrics: { step, state: 'running', reward_mean: step / 10 } });

/** Gives the statuses one after another, an error among them thrown; time goes by a second at each sleep. */
function script(statuses: (RunStatus | Error)[]) {
  const calls = { metrics: 0, why: 0 };
  let now = 0;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
  const client = {
    async readRun() {
      const next = statuses.shift();
      if (next === undefined) throw new Error('the script is over');
      if (next instanceof Error) throw next;
      return next;
    },
    async readMetrics() {
      calls.metrics += 1;
      const history = [{ step: 1, 'reward/mean': 0.1 }];
      return {
        ...{ run_id: 'k3v9x2ab', status: 'running' as const, environment: 'digits', final_metrics: {}, history },
        ...{ series: [], metrics_url: null, weights_path: null, wandb_project: null, wandb_run_name: null },
      };
    },
    async explainRun(): Promise<WhyReply> {
      calls.why += 1;
      return {
        ...{ run_id: 'k3v9x2ab', status: 'running', cause: 'no-trainer', message: 'The trainer is away.' },
        ...{ hint: null, waits: [], event_loop_lag: {} },
      };
    },
  };
  return { client, clock, calls };
}

async function watch(statuses: (RunStatus | Error)[], signal = new AbortController().signal) {
  const { client, clock, calls } = script(statuses);
  const views: RunView[] = [];
  for await (const view of watchRun({ client, runId: 'k3v9x2ab', points: 80, signal, clock })) views.push(view);
  return { views, calls };
}

it('ends with the run, and reads metrics when there may be others', async () => {
  const { views, calls } = await watch([at(1), at(1), at(2), at(2, { status: 'completed' })]);
  expect(views.map(({ status }) => status.metrics.step)).toEqual([1, 1, 2, 2]);
  expect(views[1]?.series['reward/mean']).toEqual([{ step: 1, value: 0.1 }]);
  expect(calls).toEqual({ metrics: 3, why: 0 });
});

it('waits for a server that goes away, and says for how long', async () => {
  const { views } = await watch([at(1), away(), away(), at(2, { status: 'stopped' })]);
  expect(views.map(({ awayMs }) => awayMs)).toEqual([undefined, 1_000, 2_000, undefined]);
});

it('does not wait for a server that was never there, nor past a refusal', async () => {
  await expect(watch([away()])).rejects.toThrow('away');
  const refusal = new ClientError({ code: 'not-found', call: 'GET /', reason: 'gone', status: 404, retryable: false });
  await expect(watch([at(1), refusal])).rejects.toThrow('gone');
});

it('asks why when nothing has moved for half a minute, and forgets it when it moves', async () => {
  const still = Array.from({ length: 45 }, () => at(1));
  const { views, calls } = await watch([...still, at(2), at(2, { status: 'completed' })]);
  expect(calls.why).toBe(2);
  expect(views[29]?.why).toBeUndefined();
  expect(views[31]?.why?.cause).toBe('no-trainer');
  expect(views[45]?.why).toBeUndefined();
});

it('ends quietly when it is told to', async () => {
  const ending = new AbortController();
  ending.abort();
  expect((await watch([at(1)], ending.signal)).views).toEqual([]);
});

it('tells each change once', () => {
  const before: RunView = { status: at(1), series: {} };
  expect(describeChanges(before, before)).toEqual([]);
  expect(describeChanges(undefined, before)[0]).toBe('run k3v9x2ab is running');
  expect(describeChanges(before, { status: at(2), series: {} })).toEqual(['step 2/40  reward 0.200']);
  const dead = { ...before.status.process_details[2]!, state: 'dead' as const, reason: 'exit code 1' };
  expect(describeChanges(before, { status: at(1, { process_details: [dead] }), series: {} })).toEqual([
    'env is dead: exit code 1',
  ]);
  const gone = { ...before, awayMs: 1_000 };
  expect(describeChanges(before, gone)).toEqual(['the server does not answer; waiting']);
  expect(describeChanges(gone, { ...gone, awayMs: 2_000 })).toEqual([]);
  expect(describeChanges(gone, before)).toEqual(['the server answers again']);
});
