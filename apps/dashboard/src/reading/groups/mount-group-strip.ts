import { makeElement } from '../make-element.ts';
import type { StripCell } from './read-cells.ts';
import { shadeReward, type RewardScale } from './shade-reward.ts';

export interface GroupStripOptions {
  readonly cells: readonly StripCell[];
  readonly scale: RewardScale;
  /** The longest of what is beside each other, so that lengths can be compared between strips. */
  readonly longest: number;
  readonly selected?: number | undefined;
  readonly onOpen?: ((cell: StripCell) => void) | undefined;
}

export interface GroupStrip {
  update(options: GroupStripOptions): void;
  destroy(): void;
}

const WHOLE = new Intl.NumberFormat('en');

/** A cell for each rollout of a group: its reward as a colour and a number, its outcome as a shape and a word, its length as a bar. */
export function mountGroupStrip(element: HTMLElement, given: GroupStripOptions): GroupStrip {
  const root = makeElement('div', 'strip');
  root.setAttribute('role', 'group');
  element.append(root);
  draw(given);

  function draw(options: GroupStripOptions): void {
    root.setAttribute('aria-label', `${options.cells.length} rollouts`);
    root.replaceChildren(...options.cells.map((cell) => makeCell(cell, options)));
  }

  // Cells are one stop of the Tab key; arrows go on from there.
  root.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const cells = [...root.querySelectorAll<HTMLButtonElement>('.cell')];
    const at = cells.findIndex((cell) => cell === document.activeElement);
    const next = cells[at + by];
    if (by === 0 || at === -1 || next === undefined) return;
    event.preventDefault();
    for (const cell of cells) cell.tabIndex = cell === next ? 0 : -1;
    next.focus();
  });

  return { update: draw, destroy: () => root.remove() };
}

function makeCell(cell: StripCell, options: GroupStripOptions): HTMLElement {
  const { score, outcome } = cell;
  const button = makeElement('button', `cell ${shadeReward(score, options.scale)}`);
  button.type = 'button';
  const isFirst = cell === options.cells[0];
  button.tabIndex = (options.selected === undefined ? isFirst : cell.rollout === options.selected) ? 0 : -1;
  if (cell.rollout === options.selected) button.setAttribute('aria-current', 'true');
  const label = describeCell(cell);
  button.title = label;
  button.setAttribute('aria-label', label);
  // One element for all of it: a step has a thousand groups of sixteen, and each leap through them makes three hundred cells.
  button.append(`${outcome.shape} ${score === null ? outcome.word : writeScore(score)}`);
  const share = Math.max(4, Math.round((cell.length / Math.max(1, options.longest)) * 100));
  button.style.backgroundSize = `${share}% 3px`;
  button.addEventListener('click', () => options.onOpen?.(cell));
  return button;
}

function describeCell({ rollout, score, advantage, length, outcome }: StripCell): string {
  return [
    `rollout ${rollout + 1}: ${outcome.word}`,
    ...(score === null ? [] : [`reward ${writeScore(score)}`]),
    ...(advantage === null ? [] : [`advantage ${writeSigned(advantage)}`]),
    `${WHOLE.format(length)} tokens`,
  ].join(', ');
}

/** Two places behind the point: cells are compared by eye. */
export const writeScore = (score: number): string => score.toFixed(2).replace('-', '−');

export const writeSigned = (value: number): string => (value > 0 ? `+${value.toFixed(2)}` : writeScore(value));
