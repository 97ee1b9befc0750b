import { recipeSchema, type TrainerSection } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { readDistillation } from '../../training/rl/distill/read-distillation.ts';
import { PreflightFailure } from './failure.ts';
import type { PreflightCheck } from './run-preflight.ts';

export interface TeacherCheckParts {
  /** Opens the teacher as the trainer will, asks it, and lets go of it; throws why it cannot teach. */
  tryTeacher: (run: TrainingRun, section: TrainerSection, signal: AbortSignal) => Promise<void>;
}

/** A teacher that answers, with the log probabilities of a prompt, and reads the tokens of the student. */
export function createTeacherCheck({ tryTeacher }: TeacherCheckParts): PreflightCheck {
  return {
    name: 'teacher',
    limitMs: 120_000,
    fix: 'Look at teacher of the section tinker.',
    async run(run, signal) {
      const section = sectionOf(run);
      const { teacher } = section;
      if (!readDistillation(section).hasTeacher || !teacher)
        return { state: 'skipped', message: 'The recipe names no teacher.' };
      try {
        await tryTeacher(run, section, signal);
      } catch (cause) {
        signal.throwIfAborted();
        throw new PreflightFailure({
          message: cause instanceof Error ? cause.message : String(cause),
          fix: 'What a teacher has to give is in docs/guides/distil.md.',
          cause,
        });
      }
      return {
        state: 'passed',
        message: `The teacher ${teacher.model} says how likely it finds tokens, and has the student's vocabulary.`,
      };
    },
  };
}

/** Whether the word of a teacher alone is learnt from, so that equal rewards are no reason against a start. */
export function ignoresReward(run: TrainingRun): boolean {
  const { hasTeacher, countsReward } = readDistillation(sectionOf(run));
  return hasTeacher && !countsReward;
}

const sectionOf = ({ config }: TrainingRun): TrainerSection =>
  recipeSchema.parse({ tinker: (config as { recipe?: { tinker?: unknown } }).recipe?.tinker ?? {} }).tinker;
