import { expect, test } from 'vitest';
import type { Clock } from '@lachesis/protocol';
import { aRun, aTest, refusal, stubControl } from './control-stub.fixture.ts';
import { createRlTools } from './create-rl-tools.ts';

const DIGITS = { name: 'digits', class_name: 'Digits', file_path: 'digits.ts', description: 'Say a digit.' };

/** A clock that a sleep moves. */
function createClock(): Clock & { seconds: number } {
  const clock = {
    seconds: 0,
    now: () => clock.seconds * 1000,
    sleep: async (ms: number) => {
      clock.seconds += ms / 1000;
    },
  };
  return clock;
}

test('the list of environments is wrapped with its count and tips', async () => {
  const { client } = stubControl({ 'GET /environments': [DIGITS] });
  const { value, text } = await createRlTools({ client }).rl_list_environments.run({});
  expect(value).toMatchObject({ environments: [DIGITS], count: 1 });
  expect(text).toBe(JSON.stringify(value, null, 2));
});

test('an unknown environment is answered with those there are', async () => {
  const { client } = stubControl({ 'GET /environments': [DIGITS] });
  const answer = await createRlTools({ client }).rl_select_environment.run({ name: 'a/b' });
  expect(answer).toMatchObject({ isFailure: true, value: { available: ['digits'] } });
  expect(answer.value['error']).toBe('There is no environment a/b. Available: digits.');
});

test('a run is started once and with the empty body that servers know', async () => {
  const { client, calls } = stubControl({ 'POST /runs': refusal(503, 'unavailable', 'Busy.') }, { retryForMs: 5_000 });
  const answer = await createRlTools({ client }).rl_start_training.run({});
  expect(calls).toEqual([{ call: 'POST /runs', body: {} }]);
  expect(answer).toMatchObject({ isFailure: true, value: { error: 'Busy.', code: 'unavailable', http_status: 503 } });
});

test('a status that was asked for too soon has four keys, and a change is told at once', async () => {
  const clock = createClock();
  let run = aRun();
  const { client, calls } = stubControl({ 'GET /runs/a1b2c3d4': () => run });
  const { rl_check_status: check } = createRlTools({ client, clock });
  const ask = async () => (await check.run({ run_id: 'a1b2c3d4' })).value;
  expect(await ask()).toMatchObject({ status: 'running', running_time_minutes: 1 });
  clock.seconds = 60;
  expect(await ask()).toEqual({
    rate_limited: true,
    run_id: 'a1b2c3d4',
    message: 'The run is running as at the last check. Ask again in 1740 s; a change of state is told at once.',
    next_check_in_seconds: 1740,
  });
  run = aRun({ processes: { api: 'running', trainer: 'dead', env: 'running' } });
  expect(await ask()).toMatchObject({ processes: { trainer: 'dead' } });
  run = aRun({ status: 'failed', reason: 'the engine is gone', error: 'the engine is gone' });
  expect(await ask()).toMatchObject({ status: 'failed', error: 'the engine is gone' });
  expect(await ask()).toMatchObject({ status: 'failed' });
  expect(calls).toHaveLength(5);
});

test('an unknown run and a server that is away are not counted as a check', async () => {
  const answers: unknown[] = [refusal(404, 'not-found', 'There is no run a1b2c3d4.'), new TypeError('broken'), aRun()];
  const { client } = stubControl({ 'GET /runs/a1b2c3d4': () => answers.shift() });
  const { rl_check_status: check } = createRlTools({ client, clock: createClock() });
  const ask = () => check.run({ run_id: 'a1b2c3d4' });
  expect([(await ask()).isFailure, (await ask()).isFailure]).toEqual([true, true]);
  expect((await ask()).value).toMatchObject({ status: 'running' });
});

test('a failed run is no failure of the tool', async () => {
  const { client } = stubControl({ 'GET /runs/a1b2c3d4': aRun({ status: 'failed', error: 'the engine is gone' }) });
  const answer = await createRlTools({ client }).rl_check_status.run({ run_id: 'a1b2c3d4' });
  expect(answer.isFailure).toBe(false);
});

test('a refused connection names the address without its password, and how to start the server', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const { client } = stubControl({ 'GET /runs': new TypeError('fetch failed', { cause }) });
  const { value, text } = await createRlTools({ client }).rl_list_runs.run({});
  expect(value['error']).toBe(
    'The control server at http://control.test:8080 cannot be reached: nothing listens there (ECONNREFUSED). Start it with `lachesis up`, or set RL_API_URL to where it runs.',
  );
  expect(text).not.toMatch(/secret|hidden/);
});

test('wrong arguments are answered before anything is asked', async () => {
  const { client, calls } = stubControl({});
  const tools = createRlTools({ client });
  const answers = await Promise.all([
    tools.rl_check_status.run({} as never),
    tools.rl_check_status.run(null as never),
    tools.rl_list_runs.run({ page: 2 } as never),
    tools.rl_test_inference.run({ prompts: ['a'], num_steps: 3 }),
    tools.rl_test_inference.run({ test_id: 't', prompts: ['a'] }),
    tools.rl_test_inference.run({ temperature: 1 }),
  ]);
  expect(answers.map(({ isFailure }) => isFailure)).toEqual([true, true, true, true, true, true]);
  expect(answers[0]?.value['error']).toContain('It takes run_id.');
  expect(answers[2]?.value['error']).toContain('It takes no arguments.');
  expect(calls).toEqual([]);
});

test('a long test is read on until it has ended', async () => {
  const reads = [aTest({ status: 'running' }), aTest()];
  const { client, calls } = stubControl({
    'POST /test/inference': aTest({ status: 'running' }),
    'GET /test/inference/t1': () => reads.shift(),
  });
  const told: string[] = [];
  const answer = await createRlTools({ client, clock: createClock() }).rl_test_inference.run(
    { num_steps: 3, group_size: 16 },
    { onProgress: ({ message }) => told.push(message) },
  );
  expect(answer.value).toEqual(aTest());
  expect(calls[0]?.body).toEqual({ num_steps: 3, group_size: 16 });
  expect(told).toHaveLength(2);
});

test('a test that outlasts the caller comes back with the id to read on with', async () => {
  const { client, calls } = stubControl({
    'POST /test/inference': aTest({ status: 'running' }),
    'GET /test/inference/t1': aTest({ status: 'running' }),
  });
  const { rl_test_inference: tool } = createRlTools({ client, clock: createClock(), testWaitMs: 5_000 });
  const answer = await tool.run({ prompts: ['a'] });
  expect(answer.value['message']).toContain('test_id t1');
  await tool.run({ test_id: 't1' });
  expect(calls.filter(({ call }) => call === 'POST /test/inference')).toHaveLength(1);
});

test('a call that was given up says so and does not reject', async () => {
  const { client } = stubControl({ 'GET /runs': { runs: [], count: 0, next: null } });
  const signal = AbortSignal.abort(new Error('the person left'));
  const answer = await createRlTools({ client }).rl_list_runs.run({}, { signal });
  expect(answer).toMatchObject({ isFailure: true, value: { error: 'The call was not finished: the person left' } });
});
