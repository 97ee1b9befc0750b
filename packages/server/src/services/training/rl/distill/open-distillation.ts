import type { Recipe } from '@lachesis/protocol';
import { measureAdvantages } from '../datums/convert-batch.ts';
import type { TrainingSequence } from '../datums/convert-group.ts';
import type { BatchHook } from '../loop.ts';
import type { Reference } from '../rlhf/open-reference.ts';
import { TrainerError } from '../../trainer-error.ts';
import { addTeacherTerm } from './add-teacher-term.ts';
import { readDistillation } from './read-distillation.ts';

/**
 * The hook of distillation: what teachers say about a batch becomes part of its advantages. A group that brings its own teacher is
 * weighed by that one; the teacher of the recipe is asked about all others, once for a batch. If we die while it answers, nothing of
 * the batch is with the engine: the next process takes it again and asks again.
 */
export function openDistillation(options: { recipe: Recipe; teacher: Reference | undefined }): BatchHook {
  const { recipe, teacher } = options;
  const { coefficient } = readDistillation(recipe.tinker);
  return {
    async prepare(batch) {
      const { converted } = batch;
      const rows = await askTeacher(converted.sequences, teacher);
      if (coefficient === 0 || rows.every((row) => row === undefined)) return { batch };
      const { sequences, facts } = addTeacherTerm({ sequences: converted.sequences, teacher: rows, coefficient });
      return {
        batch: {
          ...batch,
          converted: { ...converted, sequences, facts: { ...converted.facts, ...measureAdvantages(sequences) } },
        },
        distill: facts,
      };
    },
  };
}

async function askTeacher(
  sequences: readonly TrainingSequence[],
  teacher: Reference | undefined,
): Promise<(Float32Array | undefined)[]> {
  const rows = sequences.map(({ wireTeacher }) => wireTeacher);
  if (teacher === undefined) return rows;
  const asked = sequences.flatMap((sequence, index) => (rows[index] === undefined ? [{ sequence, index }] : []));
  if (asked.length === 0) return rows;
  const answers = await teacher.logprobs(asked.map(({ sequence }) => sequence));
  for (const [place, { sequence, index }] of asked.entries()) rows[index] = checkAnswer(sequence, answers[place]);
  return rows;
}

/** A token left out would be one that is not learnt from, without a word. */
function checkAnswer({ datum: { inputs } }: TrainingSequence, answer: Float32Array | undefined): Float32Array {
  const isWhole =
    answer?.length === inputs.weights.length &&
    inputs.weights.every((weight, position) => weight === 0 || !Number.isNaN(answer[position]!));
  if (answer !== undefined && isWhole) return answer;
  throw new TrainerError({
    kind: 'engine',
    message:
      'The teacher did not say how likely it finds each sampled token: its answer is shorter than the sequence, or has numbers that are none. Look at its weights, and at the longest sequence it takes.',
  });
}
