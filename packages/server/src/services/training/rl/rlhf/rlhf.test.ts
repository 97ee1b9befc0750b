import { recipeSchema } from '@lachesis/protocol';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { estimators } from '../advantages.ts';
import { convertBatch } from '../datums/convert-batch.ts';
import { makeGroup, type PlainSequence } from '../datums/group.fixture.ts';
import { watchJournal } from '../../engine/watched-journal.ts';
import { createMemoryJournal, FakeEngine } from '../../testing/fake-engine.fixture.ts';
import { measuresKl, penalizeDrift } from './kl-budget.ts';
import { openReference } from './open-reference.ts';
import { openResettingReference, type ReferencePin } from './resetting-reference.ts';
import { penaliseKl } from './penalise-kl.ts';
import { createScoreShaper } from './shape-scores.ts';

const GOOD: PlainSequence = { tokens: [10, 11, 12, 13], logprobs: [1, 1, -0.5, -0.25], score: 1 };
const BAD: PlainSequence = { tokens: [10, 11, 14], logprobs: [1, 1, -2], score: 0 };

const convert = (section: Partial<Parameters<typeof createScoreShaper>[0]> & { keepsEqual?: boolean } = {}) =>
  convertBatch({
    groups: [makeGroup([GOOD, BAD])],
    estimate: estimators.mean_centred,
    maxTokens: 100,
    shape: createScoreShaper(readSection(pickSection(section))),
    includesEqualGroups: section.keepsEqual,
  });

/** The section of a recipe with every default filled in. */
const readSection = (section: object) => recipeSchema.parse({ tinker: section }).tinker;

const pickSection = ({ keepsEqual: _keepsEqual, ...section }: Record<string, unknown>): object => section;

const advantagesOf = (sequences: ReturnType<typeof convert>['sequences']): number[][] =>
  sequences.map(({ datum }) => [...datum.inputs.advantages]);

test('scores count as they are unless the recipe clips them or length costs', () => {
  expect(createScoreShaper(readSection({}))).toBeUndefined();
  expect(convert().facts.shaped).toBeUndefined();
});

test('clips first and takes away for length after, and tells both', () => {
  const shape = createScoreShaper(readSection({ reward_clip: 2, length_target: 3, length_penalty: 0.5 }));
  expect(shape?.({ scores: [5, -7, 1], trainedTokens: [4, 2, 7] })).toEqual({
    scores: Float64Array.of(1.5, -2, -1),
    clipped: 2,
    lengthPenalty: 2.5,
  });
});

test('what scores counted for becomes advantages, and the mean reward stays what was sent', () => {
  const { facts, sequences } = convert({ reward_clip: 0.5 });
  expect(facts).toMatchObject({ rewardMean: 0.5, shaped: { mean: 0.25, clippedShare: 0.5, lengthPenalty: 0 } });
  expect(advantagesOf(sequences)).toEqual([
    [0, 0.25, 0.25],
    [0, -0.25],
  ]);
});

test('k1 takes from an advantage what its token is further away than the mean, and the prompt stays 0', () => {
  const { sequences } = convert();
  const reference = [Float32Array.of(-9, -1.5, -0.25), Float32Array.of(-9, -1)];
  const { sequences: penalised, kl } = penaliseKl({ sequences, reference, coefficient: 0.1, estimator: 'k1' });
  // 1 and 0 for the first sequence, −1 for the second.
  const [first, second] = advantagesOf(penalised);
  expect(first?.[0]).toBe(0);
  expect(first?.[1]).toBeCloseTo(0.4);
  expect(first?.[2]).toBeCloseTo(0.5);
  expect(second?.[1]).toBeCloseTo(-0.4);
  expect(kl.k1).toBeCloseTo(0);
  expect(kl.sequence).toBeCloseTo(0);
  expect(kl.k3).toBeCloseTo((Math.exp(-1) + Math.exp(1) - 2) / 3);
  expect(advantagesOf(sequences)[0]).toEqual([0, 0.5, 0.5]);
  // The same distance everywhere is nobody's fault: the baseline takes it away, and the measure keeps it.
  const away = penaliseKl({
    sequences,
    reference: reference.map((row) => row.map((logprob) => logprob - 2)),
    coefficient: 0.1,
    estimator: 'k1',
  });
  expect(advantagesOf(away.sequences)[0]?.[1]).toBeCloseTo(0.4);
  expect(away.kl.k1).toBeCloseTo(2);
});

test('k3 pulls with its own gradient, measured against finite differences', () => {
  const { sequences } = convert({ keepsEqual: true });
  const reference = [Float32Array.of(-9, -1.5, -0.25), Float32Array.of(-9, -1)];
  const { sequences: penalised, kl } = penaliseKl({ sequences, reference, coefficient: 1, estimator: 'k3' });
  const k3 = (logprob: number, start: number): number => Math.exp(start - logprob) - 1 - (start - logprob);
  const slope = (logprob: number, start: number): number =>
    (k3(logprob + 1e-4, start) - k3(logprob - 1e-4, start)) / 2e-4;
  // What is added is the way down: minus the slope.
  expect(advantagesOf(penalised)[0]?.[1]).toBeCloseTo(0.5 - slope(-0.5, -1.5), 4);
  expect(advantagesOf(penalised)[1]?.[1]).toBeCloseTo(-0.5 - slope(-2, -1), 4);
  expect(kl.sequence).toBeCloseTo((k3(-0.5, -1.5) + k3(-2, -1)) / 2, 4);
});

test('groups of equal scores stay where distance costs, because it pulls on them too', () => {
  const equal = { ...BAD, score: 1 };
  const options = { groups: [makeGroup([GOOD, equal])], estimate: estimators.mean_centred, maxTokens: 100 };
  expect(convertBatch(options).sequences).toEqual([]);
  expect(convertBatch({ ...options, includesEqualGroups: true }).sequences).toHaveLength(2);
});

test('the reference is a second model that is never trained; what a killed process left is freed', async () => {
  const engine = new FakeEngine();
  const connected = engine.connect(watchJournal(createMemoryJournal()), () => undefined);
  const trained = await connected.create();
  await connected.create();
  const log = pino({ level: 'silent' });
  const reference = await openReference({ engine: connected, trained: trained.model.modelId, log });
  expect([...engine.models.keys()]).toEqual(['m1', 'm3']);
  expect(await reference.logprobs(convert().sequences)).toEqual([Float32Array.of(-1, -1, -1), Float32Array.of(-1, -1)]);
  await reference.close();
  expect([...engine.models.keys()]).toEqual(['m1']);
});

test('a reference is reset to the policy every so many steps, and a process that comes after has the same', async () => {
  const engine = new FakeEngine();
  const connected = engine.connect(watchJournal(createMemoryJournal()), () => undefined);
  const model = await connected.create();
  const kept: ReferencePin[] = [];
  const record = { read: async () => kept.at(-1), write: async (pin: ReferencePin) => void kept.push(pin) };
  const open = (resetSteps: number | undefined) =>
    openResettingReference({
      ...{ engine: connected, model, resetSteps, record, wallClock: () => kept.length },
      log: pino({ level: 'silent' }),
    });
  const train = async (target: number): Promise<void> => {
    const { sequences } = convertBatch({
      ...{ groups: [makeGroup([{ ...GOOD, tokens: [1, target, 3, 4] }, BAD])], estimate: estimators.mean_centred },
      maxTokens: 100,
    });
    await model.forwardBackward(
      sequences.map(({ datum }) => datum),
      { loss: 'ppo' },
    );
    await model.optimStep({ learningRate: 1 });
  };
  const weightsOf = (): number[][] => [...engine.models].flatMap(([id, { weights }]) => (id === 'm1' ? [] : [weights]));
  const reference = await open(2);
  for (let step = 1; step <= 5; step += 1) {
    await reference.prepare(step);
    await train(step);
  }
  expect(kept.map(({ step }) => step)).toEqual([2, 4]);
  expect(weightsOf()).toEqual([[1, 2, 3, 4]]);
  expect([...engine.saved.keys()]).toEqual([kept[1]!.statePath]);
  // Killed: the next process frees what was left, and has the reference of step 4.
  const next = await open(2);
  await next.prepare(6);
  expect(weightsOf()).toEqual([[1, 2, 3, 4]]);
  const plain = await open(undefined);
  await plain.prepare(100);
  expect(weightsOf()).toEqual([[]]);
  engine.saved.clear();
  await expect(open(2)).rejects.toThrow(/cannot be opened/);
});

test('a batch beyond the budget says so, and a distance that is no number is beyond it', async () => {
  const held = (start: number, kl_budget: number | null) =>
    penalizeDrift({
      reference: {
        logprobs: async (sequences) => sequences.map(({ datum }) => new Float32Array(datum.tokens.length).fill(start)),
        close: async () => undefined,
      },
      converted: convert(),
      section: readSection({ kl_coefficient: 0.1, kl_budget }),
    });
  // Log probabilities −0.5, −0.25 and −2 against −4: 9.25 nats over two sequences.
  expect((await held(-4, 5)).overBudget).toBeUndefined();
  expect((await held(-4, 4)).overBudget).toMatch(/4\.625 nats .* budget is 4/);
  expect((await held(-4, null)).overBudget).toBeUndefined();
  expect((await held(Number.NaN, 4)).overBudget).toMatch(/NaN/);
});

test('nothing is measured unless the recipe asks for it', () => {
  expect(measuresKl(readSection({}))).toBe(false);
  expect(measuresKl(readSection({ kl_budget: 0 }))).toBe(true);
  expect(measuresKl(readSection({ kl_coefficient: 0.01 }))).toBe(true);
});
