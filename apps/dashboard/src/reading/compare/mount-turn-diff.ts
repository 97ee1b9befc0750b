import type { ChatMessage } from '@lachesis/protocol';
import { diffMessages, type MessageDiff } from '@lachesis/protocol/conversation';
import { makeElement } from '../make-element.ts';
import { mountVirtualList, type VirtualList } from '../virtual/mount-virtual-list.ts';
import { renderDiffRow, type DiffRow } from './render-diff-row.ts';

export interface TurnDiffOptions {
  readonly left: readonly ChatMessage[];
  readonly right: readonly ChatMessage[];
}

export interface TurnDiff {
  readonly diff: MessageDiff;
  update(options: TurnDiffOptions): void;
  /** To the next difference, or the one before. */
  step(by: 1 | -1): void;
  destroy(): void;
}

/** Two conversations beside each other: aligned by message, then compared by word within those that changed. */
export function mountTurnDiff(element: HTMLElement, given: TurnDiffOptions): TurnDiff {
  let options = given;
  let diff = diffMessages(given.left, given.right);
  let rows = foldSame(diff);
  let current = -1;
  const root = makeElement('div', 'diff');
  element.append(root);

  const listOptions = () => ({
    count: rows.length,
    height: (index: number) => (rows[index]?.kind === 'same' ? 32 : 160),
    role: 'list',
    fitsRows: true,
    spare: 2,
    render(index: number): HTMLElement {
      const row = renderDiffRow(rows[index] as DiffRow, options);
      row.classList.toggle('is-current', index === current);
      return row;
    },
  });
  const list: VirtualList = mountVirtualList(root, listOptions());
  list.scroller.setAttribute('role', 'group');
  list.scroller.setAttribute('aria-label', 'Differences. n and p go from one to the next.');

  function step(by: 1 | -1): void {
    for (let index = current + by; index >= 0 && index < rows.length; index += by) {
      if (rows[index]?.kind === 'same') continue;
      list.rowAt(current)?.classList.remove('is-current');
      current = index;
      list.scrollTo(index, 'start');
      list.rowAt(index)?.classList.add('is-current');
      return;
    }
  }

  return {
    get diff() {
      return diff;
    },
    update(next) {
      if (next.left === options.left && next.right === options.right) return;
      options = next;
      diff = diffMessages(next.left, next.right);
      rows = foldSame(diff);
      current = -1;
      list.update(listOptions());
    },
    step,
    destroy() {
      list.destroy();
      root.remove();
    },
  };
}

/** Messages that are the same stand together in one row. */
function foldSame({ steps }: MessageDiff): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const step of steps) {
    const last = rows.at(-1);
    if (step.kind !== 'same') rows.push(step);
    else if (last?.kind === 'same') last.end = step.left + 1;
    else rows.push({ kind: 'same', start: step.left, end: step.left + 1 });
  }
  return rows;
}
