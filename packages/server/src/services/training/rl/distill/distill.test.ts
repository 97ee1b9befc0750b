import { recipeSchema } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';
import { expect, test } from 'vitest';
import type { PreparedBatch } from '../batch-source.ts';
import { createConverter } from '../datums/create-converter.ts';
import type { TrainingSequence } from '../datums/convert-group.ts';
import { makeGroup, type PlainSequence } from '../datums/group.fixture.ts';
import { weighByAge } from '../datums/weigh-by-age.ts';
import type { HookedBatch } from '../loop.ts';
import type { Reference } from '../rlhf/open-reference.ts';
import { addTeacherTerm } from './add-teacher-term.ts';
import { openDistillation } from './open-distillation.ts';
import { readWireTeacher } from './read-wire-teacher.ts';

const SURE: PlainSequence = { tokens: [10, 11, 12], logprobs: [1, -0.5, -1], score: 1 };
const UNSURE: PlainSequence = { tokens: [10, 13], logprobs: [1, -2], score: 1 };
const TEACHER = { model: 'tinker://t/weights/s' };

const recipeOf = (tinker: object) => recipeSchema.parse({ tinker });
const convert = (groups: GroupPayload[], tinker: object) => createConverter(recipeOf(tinker))(groups);
const advantagesOf = (sequences: readonly TrainingSequence[]): number[][] =>
  sequences.map(({ datum }) => Array.from(datum.inputs.advantages, (value) => Math.round(value * 1e4) / 1e4));

/** The batch as it is trained on. */
async function distil(groups: GroupPayload[], tinker: object, teacher?: Reference): Promise<HookedBatch> {
  const hook = openDistillation({ recipe: recipeOf(tinker), teacher });
  const batch = { step: 1, converted: convert(groups, tinker) } as unknown as PreparedBatch;
  return (await hook.prepare(batch)) as HookedBatch;
}

/** Finds every token as likely, and remembers what it was asked. */
function createTeacher(logprob = -1): Reference & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    logprobs: async (sequences) => {
      asked.push(sequences.length);
      return sequences.map(({ datum }) => new Float32Array(datum.tokens.length).fill(logprob));
    },
    close: async () => undefined,
  };
}

test('the term of a batch moves a policy down the gradient of its KL divergence to the teacher', () => {
  const teacher = [0.7, 0.2, 0.1].map(Math.log);
  const logits = [0.3, -0.4, 1.1];
  const logSoftmax = (values: number[]): number[] => {
    const sum = Math.log(values.reduce((total, value) => total + Math.exp(value), 0));
    return values.map((value) => value - sum);
  };
  const divergence = (values: number[]): number =>
    logSoftmax(values).reduce((sum, logprob, token) => sum + Math.exp(logprob) * (logprob - teacher[token]!), 0);
  const logprobs = logSoftmax(logits);
  // Every token once, weighed by how often the policy samples it: the expectation of what a batch adds up to.
  const { sequences, facts } = addTeacherTerm({
    sequences: convert(
      [makeGroup(logprobs.map((logprob, token) => ({ tokens: [9, token], logprobs: [1, logprob], score: 0 })))],
      { teacher: TEACHER },
    ).sequences,
    teacher: teacher.map((logprob) => Float32Array.of(logprob)),
    coefficient: 1,
  });
  const advantages = sequences.map(({ datum }) => datum.inputs.advantages[0]!);
  for (let place = 0; place < logits.length; place += 1) {
    const gradient = logprobs.reduce(
      (sum, logprob, token) =>
        sum + Math.exp(logprob) * advantages[token]! * (Number(token === place) - Math.exp(logprobs[place]!)),
      0,
    );
    const step = 1e-5;
    const moved = (by: number): number => divergence(logits.map((value, at) => (at === place ? value + by : value)));
    expect(gradient).toBeCloseTo(-(moved(step) - moved(-step)) / (2 * step), 5);
  }
  expect(facts).toMatchObject({ taughtShare: 1 });
  expect(facts.kl).toBeCloseTo(logprobs.reduce((sum, logprob, token) => sum + logprob - teacher[token]!, 0) / 3, 5);
});

test('each trained token earns how much likelier its teacher finds it, less the mean of the batch, and scores do not count', async () => {
  const teacher = createTeacher();
  const { batch, distill } = await distil([makeGroup([SURE, { ...UNSURE, score: 0 }])], { teacher: TEACHER }, teacher);
  expect(advantagesOf(batch.converted.sequences)).toEqual([[-0.6667, -0.1667], [0.8333]]);
  expect(distill).toMatchObject({ teacherLogprob: -1, taughtShare: 1 });
  expect(distill?.kl).toBeCloseTo(-1 / 6);
  expect(batch.converted.facts.advantageMean).toBeCloseTo(0);
  expect(batch.converted.facts.advantageStd).toBeCloseTo(Math.sqrt(7 / 18));
  expect(teacher.asked).toEqual([2]);
});

test('a group of equal scores teaches where there is a teacher, and is dead where there is none', async () => {
  const equal = [makeGroup([SURE, UNSURE])];
  expect(convert(equal, {}).facts).toMatchObject({ deadGroups: 1 });
  expect(convert(equal, { teacher: TEACHER, distill_coefficient: 0 }).facts).toMatchObject({ deadGroups: 1 });
  expect(convert(equal, { teacher: TEACHER }).facts).toMatchObject({ deadGroups: 0, leftOut: {} });
});

test('scores count beside the teacher where the recipe says so, and its coefficient is a factor', async () => {
  const groups = [makeGroup([SURE, { ...UNSURE, score: 0 }])];
  const section = { teacher: TEACHER, distill_coefficient: 0.5, distill_reward: true };
  const { batch } = await distil(groups, section, createTeacher());
  expect(advantagesOf(batch.converted.sequences)).toEqual([[0.1667, 0.4167], [-0.0833]]);
});

test('what is old and counts for less does so for its teacher too', async () => {
  const recipe = { ...recipeOf({ max_sample_age: 0, old_samples: 'downweight' }) };
  const converted = convert([makeGroup([UNSURE, UNSURE], { policyRanges: [0, 0, 2, 1, 1, 0, 2, 1] })], {
    teacher: TEACHER,
  });
  const weighed = weighByAge(converted, { recipe, step: 1, policyVersion: 2 });
  const { sequences } = addTeacherTerm({
    sequences: weighed.sequences,
    teacher: [Float32Array.of(-1), Float32Array.of(-3)],
    coefficient: 1,
  });
  expect(advantagesOf(sequences)).toEqual([[0.5], [-0.5]]);
});

test('a token that a teacher finds impossible is far away, and no further', () => {
  const { sequences } = convert([makeGroup([UNSURE, UNSURE])], { teacher: TEACHER });
  const far = addTeacherTerm({
    sequences,
    teacher: [Float32Array.of(Number.NEGATIVE_INFINITY), Float32Array.of(-2)],
    coefficient: 1,
  });
  expect(advantagesOf(far.sequences)).toEqual([[-5], [5]]);
  expect(far.facts).toMatchObject({ kl: 5, teacherLogprob: -7 });
});

test('an answer with a hole ends the run instead of leaving a token out', async () => {
  await expect(distil([makeGroup([UNSURE])], { teacher: TEACHER }, createTeacher(Number.NaN))).rejects.toThrow(
    'did not say how likely',
  );
});

const SILENT: [number, number][] = [];

test('candidates of the wire: the sampled one counts, and one that is not among them has at most what they leave over', () => {
  const group = makeGroup([SURE, UNSURE], {
    distill: [
      [
        SILENT,
        [
          [11, -0.25],
          [4, -2],
        ],
        [
          [4, Math.log(0.5)],
          [5, Math.log(0.4)],
        ],
      ],
      // As environments fill up what their teacher did not answer.
      [
        SILENT,
        [
          [0, 0],
          [0, 0],
        ],
      ],
    ],
  });
  const read = readWireTeacher(group);
  expect(read?.(0, 0)).toBeNaN();
  expect(read?.(0, 1)).toBeCloseTo(-0.25);
  expect(read?.(0, 2)).toBeCloseTo(Math.log(0.1));
  expect(read?.(1, 1)).toBeNaN();
});

test('the bound of a token that is not among them is not above the least of them', () => {
  const group = makeGroup([UNSURE], { distill: [[SILENT, [[4, -3]]]] });
  expect(readWireTeacher(group)?.(0, 1)).toBe(-3);
});

test('rows of another length than their tokens say nothing, nor do marks above 0', () => {
  const short = makeGroup([UNSURE], { distill: [[[[13, -1]]]] });
  expect(readWireTeacher(short)?.(0, 1)).toBeNaN();
  const marked = makeGroup([UNSURE], { distill: [[[[10, 1]], [[13, 1]]]] });
  expect(readWireTeacher(marked)?.(0, 1)).toBeNaN();
  expect(readWireTeacher(makeGroup([UNSURE]))).toBeUndefined();
});

const TAUGHT = makeGroup([SURE, UNSURE], {
  distill: [
    [SILENT, [[11, -0.25]], [[12, -2]]],
    [SILENT, [[13, -1]]],
  ],
});

test('a group that brings its own teacher learns from it without a word in the recipe', async () => {
  const { batch, distill } = await distil([TAUGHT], {});
  expect(batch.converted.facts).toMatchObject({ deadGroups: 0 });
  expect(advantagesOf(batch.converted.sequences)).toEqual([[0.1667, -1.0833], [0.9167]]);
  expect(distill).toMatchObject({ taughtShare: 1 });
});

test('with a coefficient of 0 it is taken as before', async () => {
  const { batch, distill } = await distil([TAUGHT], { distill_coefficient: 0 });
  expect(batch.converted.facts).toMatchObject({ deadGroups: 1 });
  expect(distill).toBeUndefined();
});

test('the teacher of the recipe is asked about those groups that bring none', async () => {
  const teacher = createTeacher();
  const { batch } = await distil([TAUGHT, makeGroup([UNSURE])], { teacher: TEACHER }, teacher);
  expect(teacher.asked).toEqual([1]);
  expect(advantagesOf(batch.converted.sequences)).toEqual([[-0.0625, -1.3125], [0.6875], [0.6875]]);
});

test('without a teacher scores count, also of groups beside one that brings its own', async () => {
  const scored = makeGroup([SURE, { ...UNSURE, score: 0 }]);
  const { batch, distill } = await distil([scored, TAUGHT], {});
  expect(advantagesOf(batch.converted.sequences)).toEqual([[0.5, 0.5], [-0.5], [0.1667, -1.0833], [0.9167]]);
  expect(distill?.taughtShare).toBe(0.5);
  const alone = await distil([scored], {});
  expect(alone.distill).toBeUndefined();
});
