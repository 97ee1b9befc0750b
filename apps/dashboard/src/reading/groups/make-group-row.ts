import type { RolloutOutline } from '@lachesis/protocol';
import { makeElement } from '../make-element.ts';
import { showText } from '../show-text.ts';
import { countOutcomes, type StripCell } from './read-cells.ts';

/** What a group of a step is, above its strip: its item, its environment and how its rollouts came out. */
export function makeGroupRow(
  group: Pick<RolloutOutline, 'index' | 'item' | 'environment'>,
  cells: readonly StripCell[],
  isMarked: boolean,
): HTMLElement {
  const row = makeElement('div', 'group-row');
  const head = makeElement('div', 'group-head');
  head.append(
    makeElement('span', 'group-index soft', `#${group.index + 1}`),
    makeElement('span', 'group-item cut', showText(group.item)),
    makeElement('span', 'soft cut', showText(group.environment ?? '')),
    makeElement(
      'span',
      'group-count soft',
      countOutcomes(cells)
        .map(({ outcome, count }) => `${outcome.shape} ${count} ${outcome.word}`)
        .join('  '),
    ),
  );
  if (isMarked) head.append(makeElement('span', 'nowrap', '✓ marked'));
  row.append(head);
  return row;
}
