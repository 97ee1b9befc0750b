import type { RolloutGroup, RolloutOutline, RolloutStep } from '@lachesis/protocol';
import { cleanLine, cleanText } from '../../terminal/clean-text.ts';
import { formatNumber } from '../../terminal/format-number.ts';
import type { Paint } from '../../terminal/paint.ts';
import { cutText, wrapText } from '../../terminal/text-width.ts';
import type { FoundRollout, FoundRollouts } from './find-rollouts.ts';
import { listTurns } from './sequence-text.ts';

export interface RolloutScreen {
  paint: Paint;
  columns: number;
}

/** Lines of one turn, and tokens of one sequence, that are shown; the rest is counted. */
const MOST_LINES = 12;
const MOST_TOKENS = 120;
/** Groups that are named in the table of a step. */
const MOST_GROUPS = 16;

/** A step: what its groups came to, then the rollouts that were asked for. */
export function renderRollouts(
  runId: string,
  found: FoundRollouts,
  screen: RolloutScreen & { showsTokens: boolean },
): string[] {
  const { paint, columns } = screen;
  const { outlines, leftOut } = found;
  const rest = outlines.length - MOST_GROUPS;
  return [
    paint.bold(`run ${cleanLine(runId)}  ${describeStep(found.step)}`),
    ...outlines.slice(0, MOST_GROUPS).map((outline) => cutText(describeGroup(outline), columns)),
    ...(rest > 0 ? [paint.dim(`and ${count(rest, 'more group')}`)] : []),
    ...found.rollouts.flatMap((rollout) => ['', ...renderRollout(rollout, screen)]),
    ...(leftOut > 0 ? ['', paint.dim(`${count(leftOut, 'more rollout')} of this step: --limit, --best, --worst`)] : []),
  ];
}

/** One item at two steps, and what became of its reward. */
export function renderPair(
  runId: string,
  { item, sides }: { item: string; sides: readonly [FoundRollouts, FoundRollouts] },
  screen: RolloutScreen & { showsTokens: boolean },
): string[] {
  const { paint } = screen;
  const [before, after] = sides.map(({ outlines }) => meanScore(outlines)) as [number | null, number | null];
  const change = before === null || after === null ? '' : `  reward ${format(before)} to ${format(after)}`;
  return [
    paint.bold(
      `run ${cleanLine(runId)}  item ${cleanLine(item)}  step ${sides[0].step.step} and ${sides[1].step.step}${change}`,
    ),
    ...sides.flatMap((side) => ['', ...renderRollouts(runId, side, screen)]),
  ];
}

function meanScore(outlines: readonly RolloutOutline[]): number | null {
  const scores = outlines.flatMap((outline) => outline.scores.filter((score) => score !== null));
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

export function describeStep(step: RolloutStep): string {
  const reward =
    step.mean_reward === null
      ? 'not reported'
      : `${format(step.mean_reward)} (${format(step.lowest_reward)} to ${format(step.highest_reward)})`;
  return [
    `step ${step.step}`,
    ...(step.state === 'done' ? [] : [step.state]),
    `reward ${reward}`,
    count(step.groups, 'group'),
    ...(step.policy_version === null ? [] : [`policy ${step.policy_version}`]),
  ].join('  ');
}

function describeGroup(outline: RolloutOutline): string {
  const scores = outline.scores.map(format).join(' ');
  const advantages = outline.advantages.some((value) => value !== null)
    ? `  advantage ${outline.advantages.map(format).join(' ')}`
    : '';
  const reasons = [...new Set(outline.left_out.filter((reason) => reason !== null))];
  const left = reasons.length === 0 ? '' : `  left out: ${reasons.join(', ')}`;
  return `${cleanLine(outline.item)}  reward ${scores}${advantages}${left}`;
}

function renderRollout(
  { group, sequence: place }: FoundRollout,
  screen: RolloutScreen & { showsTokens: boolean },
): string[] {
  const { paint, columns } = screen;
  const sequence = group.sequences[place];
  if (sequence === undefined) return [];
  const facts = [
    paint.cyan(cleanLine(group.item)),
    `rollout ${sequence.rollout + 1}`,
    paintScore(sequence.score, paint),
    ...(sequence.advantage === null ? [] : [`advantage ${format(sequence.advantage)}`]),
    `${sequence.trained_tokens} of ${sequence.length} tokens trained`,
    ...listVersions(sequence.policy_versions),
    ...(sequence.drift === null ? [] : [`drift ${format(sequence.drift)}`]),
    ...(sequence.left_out === null ? [] : [paint.yellow(`left out: ${sequence.left_out}`)]),
  ];
  const turns = listTurns(sequence).flatMap(({ role, text }) => renderTurn(role, text, screen));
  return [
    facts.join('  '),
    ...turns,
    ...(screen.showsTokens ? ['', ...renderTokens(sequence, { paint, columns })] : []),
  ];
}

function renderTurn(role: string, text: string, { paint, columns }: RolloutScreen): string[] {
  const lines = wrapText(cleanText(text), columns - 2);
  const rest = lines.length - MOST_LINES;
  return [
    paint.dim(`${cleanLine(role)}:`),
    ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(rest > 0 ? [paint.dim(`  … ${count(rest, 'more line')}`)] : []),
  ];
}

/** Trained tokens with both log probabilities. The prompt is counted, not shown. */
function renderTokens(sequence: RolloutGroup['sequences'][number], { paint, columns }: RolloutScreen): string[] {
  const { tokens = [], mask = [], logprobs, trainer_logprobs: own, pieces, token_advantages: given } = sequence;
  const trained = tokens.flatMap((_, position) => (mask[position] === 1 ? [position] : []));
  const lines = trained.slice(0, MOST_TOKENS).map((position) => {
    const sampler = logprobs?.[position] ?? null;
    const trainer = position === 0 ? null : (own?.[position - 1] ?? null);
    const ratio = sampler === null || trainer === null ? '' : format(Math.exp(trainer - sampler));
    const piece = pieces?.[position];
    const cells = [
      String(position).padStart(6),
      String(tokens[position]).padStart(8),
      format(sampler).padStart(9),
      format(trainer).padStart(9),
      ratio.padStart(7),
      ...(given === null || given === undefined ? [] : [format(given[position] ?? null).padStart(9)]),
      piece === undefined ? '' : JSON.stringify(cleanText(piece)),
    ];
    return cutText(cells.join('  '), columns);
  });
  const heading = [
    ...['position', '   token', '  sampler', '  trainer', '  ratio'],
    ...(given === null || given === undefined ? [] : ['advantage']),
  ].join('  ');
  const rest = trained.length - lines.length;
  const left = [
    ...(tokens.length > trained.length ? [`${count(tokens.length - trained.length, 'token')} not trained on`] : []),
    ...(rest > 0 ? [`${count(rest, 'more token')} trained on`] : []),
  ];
  return [paint.dim(heading), ...lines, ...(left.length === 0 ? [] : [paint.dim(left.join(', '))])];
}

const listVersions = (ranges: RolloutGroup['sequences'][number]['policy_versions']): string[] => {
  const versions = [...new Set(ranges.map(([, , version]) => version))];
  return versions.length === 0 ? [] : [`policy ${versions.join(', ')}`];
};

function paintScore(score: number | null, paint: Paint): string {
  const text = `reward ${format(score)}`;
  return score === null ? paint.yellow(text) : score > 0 ? paint.green(text) : paint.red(text);
}

const format = (value: number | null): string => (value === null ? '-' : formatNumber(value));

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
