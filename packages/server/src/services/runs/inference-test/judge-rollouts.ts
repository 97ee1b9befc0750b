import type { TestVerdict } from '@lachesis/protocol';

/** What one model has shown so far. */
export interface SeenRollouts {
  /** Whether the environment came up with its settings. */
  isLoaded: boolean;
  /** Scores in their order; null where a rollout failed or abstained. */
  scores: readonly (number | null)[];
  /** Why rollouts have failed, in their own words. */
  failures: readonly { kind: string; reason: string }[];
  /** What the environment said when it ended early. */
  error: string | null;
}

const SHOWN = 1;

/** What can be said about an environment from rollouts alone. */
export function judgeRollouts({ isLoaded, scores, failures, error }: SeenRollouts): TestVerdict[] {
  const scored = scores.filter((score): score is number => score !== null);
  const load: TestVerdict = {
    check: 'load',
    passed: isLoaded,
    message: isLoaded
      ? 'The environment loads and gives items.'
      : `The environment did not start: ${error ?? 'it said nothing'}.`,
  };
  if (!isLoaded) return [load];
  const asked = failures.filter(({ kind }) => kind !== 'verifier');
  const graded = failures.filter(({ kind }) => kind === 'verifier');
  return [
    load,
    judgeFailures('prompts', scores.length, asked, 'prompts were answered'),
    judgeFailures('parsing', scores.length, graded, 'replies were parsed and scored'),
    ...(scored.length === 0 ? [] : [judgeSpread(scored), judgeConstant(scored)]),
  ];
}

function judgeFailures(
  check: 'parsing' | 'prompts',
  count: number,
  failures: SeenRollouts['failures'],
  what: string,
): TestVerdict {
  const fine = count - failures.length;
  const why = failures
    .slice(0, SHOWN)
    .map(({ reason }) => reason)
    .join('; ');
  return {
    check,
    passed: count > 0 && failures.length === 0,
    message:
      count === 0 ? 'No rollout was made.' : `${fine} of ${count} ${what}${why === '' ? '' : `; the others: ${why}`}.`,
  };
}

function judgeSpread(scored: readonly number[]): TestVerdict {
  const [least, most] = [Math.min(...scored), Math.max(...scored)];
  const isInside = least >= 0 && most <= 1;
  return {
    check: 'reward_spread',
    passed: isInside,
    message: `Rewards lie between ${round(least)} and ${round(most)}${isInside ? '' : ': keep them in 0 to 1'}.`,
  };
}

function judgeConstant(scored: readonly number[]): TestVerdict {
  const isConstant = new Set(scored).size === 1;
  return {
    check: 'constant_rewards',
    passed: !isConstant,
    message: isConstant
      ? `All ${scored.length} rewards are ${round(scored[0] ?? 0)}: nothing can be learnt from equal rewards. Make the task easier, harder, or its reward finer.`
      : `Rewards take ${new Set(scored).size} values.`,
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
