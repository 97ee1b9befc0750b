import { mean } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import type { Paint } from '../terminal/paint.ts';
import { cutText } from '../terminal/text-width.ts';
import type { PairedSides, TaskPair } from './pair-sides.ts';

/** How many pairs are better, worse, the same; and by how much, where both sides were scored. */
export function countPairs({ pairs, left_alone, right_alone }: PairedSides): {
  pairs: number;
  better: number;
  worse: number;
  changed_outcomes: number;
  other_words: number;
  mean_gain: number | null;
  left_alone: number;
  right_alone: number;
} {
  const gains = pairs.flatMap(({ gain }) => (gain === null ? [] : [gain]));
  return {
    pairs: pairs.length,
    better: gains.filter((gain) => gain > 0).length,
    worse: gains.filter((gain) => gain < 0).length,
    changed_outcomes: pairs.filter(({ left, right }) => left.outcome !== right.outcome).length,
    other_words: pairs.filter(({ first_difference: first }) => first !== null).length,
    mean_gain: gains.length === 0 ? null : mean(gains),
    ...{ left_alone, right_alone },
  };
}

/** What two sides made of the same tasks: the counts, then the worst pairs with the first place where they part. */
export function renderPairs(
  paired: PairedSides,
  { left, right, shown, paint, columns }: { left: string; right: string; shown: number; paint: Paint; columns: number },
): string {
  const counts = countPairs(paired);
  const scored = counts.mean_gain === null ? '' : `, mean difference ${signed(counts.mean_gain)}`;
  const lines = [
    paint.red(`- ${left}`),
    paint.green(`+ ${right}`),
    '',
    paint.bold(`${counts.pairs} tasks on both sides: ${counts.better} better, ${counts.worse} worse${scored}`),
    `${counts.changed_outcomes} ended otherwise, ${counts.other_words} say something else; ${counts.left_alone} are left alone, ${counts.right_alone} right alone`,
  ];
  const worst = paired.pairs.filter((pair) => pair.is_changed || pair.first_difference !== null).slice(0, shown);
  for (const pair of worst)
    lines.push('', ...renderPair(pair, columns).map((line, at) => (at === 0 ? paint.bold(line) : line)));
  return `${lines.join('\n')}\n`;
}

function renderPair({ task, left, right, first_difference: first }: TaskPair, columns: number): string[] {
  const side = ({ outcome, reward }: TaskPair['left']): string => (reward === null ? outcome : `${outcome} ${reward}`);
  return [
    cutText(cleanLine(task), columns),
    `  ${side(left)} to ${side(right)}`,
    cutText(`  ${first === null ? 'the same words' : `first difference: ${cleanLine(first)}`}`, columns),
    `  lachesis trajectories diff ${left.trajectory_id} ${right.trajectory_id}`,
  ];
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
