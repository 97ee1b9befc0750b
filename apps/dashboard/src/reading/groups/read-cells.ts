import type { RolloutOutline } from '@lachesis/protocol';

/** One rollout of a group, as a strip shows it. */
export interface StripCell {
  /** Which of the group, from 0. */
  readonly rollout: number;
  /** Null for what got no number: failed, or the verifier abstained. */
  readonly score: number | null;
  readonly advantage: number | null;
  /** Tokens of its sequences, prompts among them. */
  readonly length: number;
  /** The first of its sequences in the group. */
  readonly sequence: number;
  readonly sequences: number;
  readonly outcome: StripOutcome;
}

export interface StripOutcome {
  readonly shape: string;
  readonly word: string;
}

const OUTCOMES: Readonly<Record<string, StripOutcome>> = {
  dead: { shape: '○', word: 'dead' },
  'too-long': { shape: '▲', word: 'too long' },
  'not-trained': { shape: '□', word: 'not trained' },
  'no-logprobs': { shape: '◇', word: 'no logprobs' },
  'uneven-rows': { shape: '◇', word: 'uneven' },
};
const TRAINED: StripOutcome = { shape: '●', word: 'trained' };
const UNSCORED: StripOutcome = { shape: '✕', word: 'no score' };
const UNREPORTED: StripOutcome = { shape: '–', word: 'not reported' };

type CellSource = Pick<RolloutOutline, 'rollouts' | 'scores' | 'advantages' | 'lengths' | 'left_out'> &
  Partial<Pick<RolloutOutline, 'trained_tokens'>>;

/** The cells of a group: a rollout may have left several sequences. */
export function readCells(group: CellSource): StripCell[] {
  const cells = new Map<number, StripCell>();
  for (const [sequence, rollout] of group.rollouts.entries()) {
    const before = cells.get(rollout);
    const length = group.lengths[sequence] ?? 0;
    if (before !== undefined) {
      cells.set(rollout, { ...before, length: before.length + length, sequences: before.sequences + 1 });
      continue;
    }
    const score = group.scores[sequence] ?? null;
    const advantage = group.advantages[sequence] ?? null;
    const leftOut = group.left_out[sequence] ?? null;
    cells.set(rollout, {
      ...{ rollout, score, advantage, length, sequence, sequences: 1 },
      outcome: nameOutcome(score, advantage, leftOut, group.trained_tokens?.[sequence] ?? 0),
    });
  }
  return [...cells.values()];
}

export function nameOutcome(
  score: number | null,
  advantage: number | null,
  leftOut: string | null,
  trained: number,
): StripOutcome {
  if (score === null) return UNSCORED;
  if (leftOut !== null) return OUTCOMES[leftOut] ?? { shape: '□', word: leftOut };
  return advantage === null && trained === 0 ? UNREPORTED : TRAINED;
}

/** How many rollouts ended how, in the order they were met: what a row says beside its strip. */
export function countOutcomes(cells: readonly StripCell[]): { outcome: StripOutcome; count: number }[] {
  const counts = new Map<string, { outcome: StripOutcome; count: number }>();
  for (const { outcome } of cells) {
    const entry = counts.get(outcome.word) ?? { outcome, count: 0 };
    counts.set(outcome.word, { outcome, count: entry.count + 1 });
  }
  return [...counts.values()];
}
