import { expect, test } from 'vitest';

import { estimators } from '../advantages.ts';
import { convertBatch } from './convert-batch.ts';
import { makeGroup, type PlainSequence } from './group.fixture.ts';

const GOOD: PlainSequence = { tokens: [10, 11, 12, 13], logprobs: [1, 1, -0.5, -0.25], score: 1 };
const BAD: PlainSequence = { tokens: [10, 11, 14], logprobs: [1, 1, -2], score: 0 };

const convert = (groups: ReturnType<typeof makeGroup>[], maxTokens = 100) =>
  convertBatch({ groups, estimate: estimators.mean_centred, maxTokens });

/** What a datum holds, as plain lists. */
const plain = ({ datum }: ReturnType<typeof convert>['sequences'][number]) => ({
  tokens: [...datum.tokens],
  targets: [...datum.inputs.target_tokens],
  logprobs: [...datum.inputs.logprobs],
  advantages: [...datum.inputs.advantages],
  weights: [...datum.inputs.weights],
});

test('targets are the tokens moved by one, and the prompt has weight, log probability and advantage 0', () => {
  const { sequences, facts } = convert([makeGroup([GOOD, BAD])]);
  expect(sequences.map(plain)).toEqual([
    {
      tokens: [10, 11, 12],
      targets: [11, 12, 13],
      logprobs: [0, -0.5, -0.25],
      advantages: [0, 0.5, 0.5],
      weights: [0, 1, 1],
    },
    { tokens: [10, 11], targets: [11, 14], logprobs: [0, -2], advantages: [0, -0.5], weights: [0, 1] },
  ]);
  expect(facts).toMatchObject({
    groups: 1,
    deadGroups: 0,
    rewardMean: 0.5,
    rewardStd: 0.5,
    trainedTokens: 3,
    totalTokens: 7,
  });
  expect(facts.advantageMean).toBeCloseTo(0.5 / 3);
});

test('the mask decides, whatever the log probabilities say', () => {
  // A tool's reply in the middle: it has log probabilities and is not trained on; a sampled 1.0 is.
  const masked = { ...GOOD, logprobs: [1, -3, -0.5, 1], trained: [2, 3] };
  const [first] = convert([makeGroup([masked, BAD])]).sequences;
  expect(plain(first!)).toMatchObject({ logprobs: [0, -0.5, 1], weights: [0, 1, 1] });
});

test('without masks the log probability 1.0 marks what was not sampled', () => {
  const [first] = convert([makeGroup([{ ...GOOD, trained: [] }, BAD], { hasMasks: false })]).sequences;
  expect(plain(first!)).toMatchObject({ weights: [0, 1, 1], advantages: [0, 0.5, 0.5] });
});

test('groups of equal scores are left out, and their scores still count', () => {
  const dead = makeGroup([
    { ...GOOD, score: 0.3 },
    { ...BAD, score: 0.3 },
  ]);
  const { sequences, facts } = convert([dead, makeGroup([GOOD, BAD])]);
  expect(sequences.map(({ group }) => group)).toEqual([1, 1]);
  expect(facts).toMatchObject({ groups: 2, deadGroups: 1, leftOut: { dead: 2 } });
  expect(facts.rewardMean).toBeCloseTo((0.3 + 0.3 + 1 + 0) / 4);
});

test.each(Object.entries(estimators))(
  'a rollout in five sequences weighs once, and each of them carries its advantage: %s',
  (_name, estimate) => {
    const parts = Array.from({ length: 5 }, (): PlainSequence => ({ ...BAD, score: 1 }));
    const split = makeGroup([BAD, ...parts, { ...BAD, score: 0.25 }], {
      rolloutIds: ['b', 'a', 'a', 'a', 'a', 'a', 'c'],
    });
    const { sequences, facts } = convertBatch({ groups: [split], estimate, maxTokens: 100 });
    // By rollout: its score and its trained tokens, five sequences of one token together.
    const wanted = estimate({ scores: [0, 1, 0.25], trainedTokens: [1, 5, 1] });
    expect(sequences.map((each) => plain(each).advantages.at(-1))).toEqual(
      [0, 1, 1, 1, 1, 1, 2].map((rollout) => Math.fround(wanted[rollout]!)),
    );
    expect(facts.rewardMean).toBeCloseTo((0 + 1 + 0.25) / 3);
  },
);

test('a group of which every rollout scored the same is dead, however its sequences are spread', () => {
  const group = makeGroup([GOOD, GOOD, { ...BAD, score: 1 }], { rolloutIds: ['a', 'a', 'b'] });
  expect(convert([group]).facts).toMatchObject({ deadGroups: 1, leftOut: { dead: 3 } });
});

test('an environment can set advantages to zero, sequence by sequence', () => {
  const overrides = [{ set_advantage_to_zero: true }, {}];
  const { sequences } = convert([makeGroup([GOOD, BAD], { overrides })]);
  expect(sequences.map((each) => plain(each).advantages)).toEqual([
    [0, 0, 0],
    [0, -0.5],
  ]);
  const all = [{ set_advantage_to_zero: true }, { set_advantage_to_zero: true }];
  expect(convert([makeGroup([GOOD, BAD], { overrides: all })]).facts.deadGroups).toBe(1);
});

test('advantages of the environment, token by token, come before ours', () => {
  const group = makeGroup([GOOD, { ...BAD, score: 1 }]);
  group.advantages = {
    values: Float32Array.of(9, 9, 0.5, -1, 9, 9, 2),
    rowLengths: group.tokens.rowLengths,
  };
  expect(convert([group]).sequences.map((each) => plain(each).advantages)).toEqual([
    [0, 0.5, -1],
    [0, 2],
  ]);
});

test('sequences that are too long are left out; the others keep their advantages', () => {
  const { sequences, facts } = convert([makeGroup([GOOD, BAD])], 3);
  expect(sequences.map((each) => plain(each).advantages)).toEqual([[0, -0.5]]);
  expect(facts.leftOut).toEqual({ 'too-long': 1 });
});

test('groups without log probabilities, and sequences without a trained token, are counted', () => {
  const { inferenceLogprobs: _dropped, ...without } = makeGroup([GOOD, BAD]);
  expect(convert([without]).facts.leftOut).toEqual({ 'no-logprobs': 2 });
  expect(convert([makeGroup([GOOD, { ...BAD, trained: [] }])]).facts.leftOut).toEqual({ 'not-trained': 1 });
});

test('tells which policies sampled a sequence', () => {
  const { sequences } = convert([makeGroup([GOOD, BAD], { policyRanges: [0, 2, 3, 4, 0, 3, 4, 6, 1, 2, 3, 5] })]);
  expect(sequences.map(({ versions }) => versions)).toEqual([
    { oldest: 4, newest: 6 },
    { oldest: 5, newest: 5 },
  ]);
});

test('a batch of 128 sequences of 2,000 tokens is converted in well under a second', () => {
  const long = (score: number): PlainSequence => ({
    tokens: Array.from({ length: 2000 }, (_, index) => index),
    logprobs: Array.from({ length: 2000 }, (_, index) => (index < 200 ? 1 : -0.1)),
    score,
  });
  const groups = Array.from({ length: 8 }, () => makeGroup(Array.from({ length: 16 }, (_, index) => long(index % 2))));
  // Processor time: others on the machine do not count.
  const start = process.cpuUsage();
  expect(convert(groups, 9000).sequences).toHaveLength(128);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(1000);
});

test('tells the score of every rollout, and what was set aside for the groups', () => {
  const groups = [makeGroup([GOOD, GOOD], { setAside: { groups: 1, rollouts: 2, reward_sum: 0.5 } }), makeGroup([BAD])];
  const { facts } = convert(groups);
  expect([...facts.rewards]).toEqual([1, 1, 0]);
  expect(facts.setAside).toEqual({ groups: 1, rollouts: 2, rewardSum: 0.5 });
});
