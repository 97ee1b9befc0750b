import { whyReplySchema, type Ledger } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { explainRun } from './explain-run.ts';
import { learningOf } from './learning/learning.fixture.ts';
import { followMovement, type Movement } from './follow-movement.ts';
import type { InferenceFacts, RunFacts } from './run-facts.ts';

const ID = '0197f000-0000-7000-8000-000000000000';
const ledger: Ledger = {
  ...{ run_id: ID, incarnation_id: ID, produced: 3, pending: 3, buffered: 0, formed: 0, leased: 0 },
  ...{ delivered_unconfirmed: 0, trained: 0, quarantined: 0, dropped: {}, balanced: true },
};
const tokens = { prompt: 0, sampled: 0 };
const inference: InferenceFacts = { problem: null, inFlight: 0, answered: 24, refused: 0, broken: 0, tokens };

function factsAt(seconds: number, change: Partial<RunFacts> = {}): RunFacts {
  return {
    at: seconds * 1000,
    run: { shortId: 'abcdefgh', state: 'running', reason: 'all three processes answer', changedAt: 0 },
    otherHost: null,
    processes: (['api', 'trainer', 'env'] as const).map((role) => ({
      ...{ role, state: 'running' as const, restarts: 0, reason: null },
    })),
    ...{ groupSize: 8, batchSize: 64, engine: { value: 'ok' }, quarantine: [], limitedAt: null },
    trainer: { value: { state: 'waiting', detail: 'the trainer waits for groups', step: 0 } },
    ledger: { value: ledger },
    inference: { value: inference },
    environment: { waiting: null, paused: null },
    lag: { control: 1, 'trajectory-api': 2, trainer: null },
    ...change,
  };
}

/** What is said at the last of these moments. */
function explain(...moments: RunFacts[]) {
  let movement: Movement | undefined;
  for (const facts of moments) movement = followMovement(movement, facts);
  return whyReplySchema.parse(explainRun(moments.at(-1)!, movement!));
}

const busy = { value: { ...inference, inFlight: 8 } };

test('a run that moves is held up by nothing, and still says who waits for whom', () => {
  const reply = explain(factsAt(0, { inference: busy }), factsAt(5, { inference: busy }));
  expect(reply).toMatchObject({ cause: 'none', event_loop_lag: { 'trajectory-api': 2, trainer: null } });
  expect(reply.waits).toMatchObject([
    { who: 'trainer', waits_for: 'environment', since: 0, detail: '3 of 8 groups of the next batch are ready' },
    { who: 'environment', waits_for: 'inference', holding: '8 calls' },
    { who: 'inference', waits_for: 'engine' },
  ]);
});

test('an engine that does not answer is named before what follows from it', () => {
  const change: Partial<RunFacts> = {
    engine: { problem: 'http://127.0.0.1:9 refuses connections: nothing listens there' },
    inference: { value: { ...inference, problem: 'no answer to asample', inFlight: 4 } },
    ledger: { value: { ...ledger, leased: 8 } },
  };
  const reply = explain(factsAt(0), factsAt(10, change), factsAt(40, change));
  expect(reply.cause).toBe('engine-down');
  expect(reply.waits[0]).toMatchObject({ who: 'trainer', waits_for: 'engine', since: 10_000 });
  expect(reply.waits[0]?.holding).toBe('a batch of 8 groups');
});

test('refusals without an answer since are what the environment waits for', () => {
  const refused = (count: number) => ({ inference: { value: { ...inference, inFlight: 4, refused: count } } });
  const reply = explain(factsAt(0), factsAt(10, refused(3)), factsAt(40, refused(9)));
  expect(reply).toMatchObject({
    cause: 'inference-refuses',
    waits: [{ who: 'environment', waits_for: 'inference' }, {}, {}],
  });
  expect(reply.message).toContain('429 since 40 s');
  expect(explain(factsAt(0), factsAt(3, refused(1))).cause).toBe('none');
  const answered = { inference: { value: { ...inference, inFlight: 4, refused: 9, answered: 30 } } };
  expect(explain(factsAt(0), factsAt(10, refused(9)), factsAt(12, answered)).cause).toBe('none');
});

test('an engine that asks for time is heard from the log of the trainer', () => {
  const reply = explain(factsAt(0), factsAt(30, { inference: busy, limitedAt: 29_000 }));
  expect(reply).toMatchObject({ cause: 'inference-refuses' });
  expect(reply.message).toContain('the engine takes no more calls');
  expect(explain(factsAt(0), factsAt(300, { inference: busy, limitedAt: 29_000 })).cause).not.toBe('inference-refuses');
});

test('a verifier hangs when everything was answered and no group comes', () => {
  expect(explain(factsAt(0), factsAt(10)).cause).toBe('none');
  const reply = explain(factsAt(0), factsAt(10), factsAt(20));
  expect(reply.cause).toBe('verifier-hangs');
  expect(reply.waits).toContainEqual(
    expect.objectContaining({
      who: 'environment',
      waits_for: 'verifier',
      since: 0,
      holding: 'replies that are not scored',
    }),
  );
});

test('an old line about waiting for a trainer that itself waits hides no verifier', () => {
  const old = { environment: { waiting: '2 groups wait for the trainer', paused: null } };
  expect(explain(factsAt(0, old), factsAt(20, old)).cause).toBe('verifier-hangs');
});

test.each([
  ['a slow engine', { inference: busy }],
  [
    'a full queue',
    {
      environment: { waiting: '24 groups wait for the trainer', paused: null },
      trainer: { value: { state: 'publishing', detail: '', step: 0 } },
    },
  ],
  ['an environment without items', { environment: { waiting: 'the environment has no item to give', paused: null } }],
  ['a step', { trainer: { value: { state: 'training', detail: '', step: 0 } } }],
] as const)('%s is not taken for a verifier that hangs', (_what, change) => {
  expect(explain(factsAt(0, change), factsAt(30, change)).cause).toBe('none');
});

test('groups that fit no batch are named with both sizes', () => {
  const change: Partial<RunFacts> = {
    ...{ groupSize: 3, batchSize: 8, quarantine: ['unfit-size: groups of 3 do not make up a batch of 8'] },
    ledger: { value: { ...ledger, pending: 0, produced: 5, quarantined: 5 } },
  };
  const reply = explain(factsAt(0), factsAt(5, change));
  expect(reply.cause).toBe('groups-cannot-pack');
  expect(reply.message).toContain('groups of 3 do not make up a batch of 8 (5 set aside)');
  expect(reply.hint).toContain('divides batch_size (8)');
});

test('a trainer that does not answer is missed, with what waits for it', () => {
  const change: Partial<RunFacts> = {
    trainer: { problem: 'http://127.0.0.1:1/v1/trainer does not answer within 4 s' },
    inference: { problem: 'http://127.0.0.1:1/health does not answer within 4 s' },
  };
  const reply = explain(factsAt(0), factsAt(5, change), factsAt(9, change));
  expect(reply).toMatchObject({
    cause: 'no-trainer',
    waits: [{ since: 5_000, holding: '3 groups wait in the trajectory API' }],
  });
});

test('a run that has ended waits for nothing, and one that starts says what for', () => {
  const run = { shortId: 'abcdefgh', reason: 'finished at step 3', changedAt: 7 };
  expect(explain(factsAt(0, { run: { ...run, state: 'completed' } }))).toMatchObject({
    ...{ cause: 'run-ended', message: 'The run has ended: finished at step 3.' },
  });
  const starting = explain(
    factsAt(0, {
      run: { ...run, state: 'starting' },
      trainer: { problem: 'it has no address' },
      processes: [{ role: 'api', state: 'starting', restarts: 0, reason: null }],
    }),
  );
  expect(starting).toMatchObject({ cause: 'none', waits: [{ who: 'supervisor', waits_for: 'api', since: 7 }] });
});

test('a process that is started again is named', () => {
  const processes = [{ role: 'env' as const, state: 'dead' as const, restarts: 2, reason: 'exit 1' }];
  const reply = explain(factsAt(0, { processes }));
  expect(reply.cause).toBe('process-restarts');
  expect(reply.message).toContain('started again 2 times, last end: exit 1');
});

test('silence without a known reason is told after a minute', () => {
  const stuck = { inference: { value: { ...inference, inFlight: 1 } } };
  expect(explain(factsAt(0, stuck), factsAt(61, stuck)).cause).toBe('unknown');
  const never = { inference: { value: { ...inference, answered: 0 } } };
  expect(explain(factsAt(0, never), factsAt(61, never)).cause).toBe('no-environment');
});

test('a run on another machine is said to be there, with what to do', () => {
  const reply = explain(factsAt(0, { otherHost: 'there', engine: { problem: 'refuses connections' } }));
  expect(reply).toMatchObject({ cause: 'other-host', message: expect.stringContaining('are on there') as string });
  expect(reply.hint).toContain('lachesis stop abcdefgh');
});

test('a run that moves and does not learn is told apart from one that learns, also when it has ended', () => {
  const dead = learningOf({ 'reward/mean': [0, 0, 0], 'train/groups': [4, 4, 4], 'train/dead_groups': [4, 4, 4] });
  const facts = factsAt(5, { inference: busy });
  const movement = followMovement(undefined, facts);
  const found = whyReplySchema.parse(explainRun(facts, movement, dead));
  expect(found).toMatchObject({
    cause: 'not-learning',
    hint: expect.stringContaining('lachesis train warm-up') as string,
  });
  expect(found.message).toContain('The run goes on and does not learn');
  expect(explainRun(facts, movement, learningOf({})).cause).toBe('none');
  const over = factsAt(5, { run: { ...facts.run, state: 'completed', reason: 'all steps were made' } });
  expect(explainRun(over, movement, dead)).toMatchObject({
    cause: 'run-ended',
    message: expect.stringContaining('It did not learn as it could: no reply has earned anything') as string,
  });
});

test('a run is said to move when something was learned, and not before', () => {
  const facts = factsAt(5, { inference: busy });
  const movement = followMovement(undefined, facts);
  const say = (series: Record<string, number[]>, env = {}): string =>
    explainRun(facts, movement, learningOf(series, { env })).message;
  expect(say({})).toContain('too early to say');
  expect(say({ 'reward/mean': [0.1, 0.1, 0.1, 0.1] })).toContain('has not risen yet (0.100 at step 4)');
  const rising = { 'reward/mean': [0.1, 0.1, 0.2, 0.3, 0.4, 0.5] };
  expect(say(rising)).toContain('The run moves and learns: its reward was 0.133 at first and is 0.400');
  const warned = explainRun(facts, movement, learningOf(rising, { env: { temperature: 0.6 } }));
  expect(warned).toMatchObject({ cause: 'none', learning: [{ cause: 'temperature' }] });
  expect(warned.message).toContain('speaks against it: replies are sampled at temperature 0.6');
});
