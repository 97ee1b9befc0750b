import type { TrajectorySummary } from '@lachesis/protocol';
import { makeElement } from '../make-element.ts';
import { showText } from '../show-text.ts';

const ABSENT = '–';

const OUTCOME_SHAPES: Readonly<Record<string, string>> = { failed: '✕', abstained: '◇' };

/** Names of the columns; the same grid as the rows. */
export function makeTrajectoryHead(): HTMLElement {
  const row = makeElement('div', 'trajectory-row trajectory-head');
  row.append(
    makeElement('span', 'is-title', 'task'),
    makeElement('span', '', 'outcome'),
    makeElement('span', 'is-wide', 'model'),
    makeElement('span', 'number', 'turns'),
    makeElement('span', 'number is-wide', 'reward'),
    makeElement('span', 'number is-wide', 'rating'),
    makeElement('span', 'number is-wide', 'changed'),
  );
  return row;
}

/** A trajectory in a line; the place of one that is on its way keeps its height. */
export function makeTrajectoryRow(summary: TrajectorySummary | undefined, marked: readonly string[]): HTMLElement {
  if (summary === undefined) return makeElement('div', 'trajectory-row row-waiting', makeElement('span', '', '…'));
  const isMarked = marked.includes(summary.trajectory_id);
  const row = makeElement('div', `trajectory-row${isMarked ? ' is-marked' : ''}`);
  const { shape, word } = nameTrajectoryOutcome(summary);
  row.append(
    makeElement('span', 'is-title', `${isMarked ? '☑ ' : ''}${showText(summary.title) || summary.trajectory_id}`),
    makeElement('span', '', `${shape} ${showText(word)}`),
    makeElement('span', 'is-wide soft', showText(summary.model ?? ABSENT)),
    makeElement('span', 'number is-turns', summary.turn_count.toLocaleString('en')),
    makeElement('span', 'number is-wide', writeNumber(summary.reward)),
    makeElement('span', 'number is-wide', writeNumber(summary.rating)),
    makeElement('span', 'number is-wide soft', writeWhen(summary.updated_at)),
  );
  return row;
}

/** How it ended, as a shape and a word. */
export function nameTrajectoryOutcome({
  outcome,
  error_count: errors,
}: Pick<TrajectorySummary, 'outcome' | 'error_count'>): { shape: string; word: string } {
  if (outcome === null) return errors > 0 ? { shape: '✕', word: 'failed' } : { shape: '○', word: 'open' };
  return { shape: OUTCOME_SHAPES[outcome] ?? '●', word: outcome };
}

const writeNumber = (value: number | null): string => (value === null ? ABSENT : value.toFixed(2).replace('-', '−'));

const writer = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});

const writeWhen = (at: number): string => writer.format(at);
