import { mountVirtualList, type VirtualList } from '../virtual/mount-virtual-list.ts';

export interface PickListOptions {
  readonly count: number;
  readonly height: number | ((index: number) => number);
  readonly label: string;
  readonly render: (index: number) => HTMLElement;
  /** Enter, or a press on the row. */
  readonly onOpen: (index: number) => void;
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  /** Other things than before, and not more of them: the selection goes back to the first. */
  readonly source?: unknown;
}

export interface PickList {
  update(options: PickListOptions): void;
  move(by: number): void;
  /** Opens the row that is selected. */
  open(): void;
  /** Draws the rows in view again, for those that came in the meantime. */
  refresh(): void;
  readonly selected: number;
  destroy(): void;
}

/** A list of any length with one row selected. The selection moves at once; what is behind a row loads after. */
export function mountPickList(element: HTMLElement, given: PickListOptions): PickList {
  let options = given;
  let selected = 0;

  const listOptions = () => ({
    count: options.count,
    height: options.height,
    role: 'list',
    onRange: options.onRange,
    render(index: number): HTMLElement {
      const row = options.render(index);
      row.classList.add('pick');
      if (index === selected) row.setAttribute('aria-current', 'true');
      row.addEventListener('pointerdown', () => select(index));
      row.addEventListener('click', (event) => {
        // Links and buttons in a row do what they say.
        if (event.target instanceof Element && event.target.closest('a,button,input,summary') !== null) return;
        options.onOpen(index);
      });
      return row;
    },
  });

  const list: VirtualList = mountVirtualList(element, listOptions());
  list.scroller.classList.add('pick-list');
  list.scroller.setAttribute('role', 'group');
  list.scroller.setAttribute('aria-label', given.label);

  function select(index: number): void {
    list.rowAt(selected)?.removeAttribute('aria-current');
    selected = index;
    list.rowAt(selected)?.setAttribute('aria-current', 'true');
  }

  function move(by: number): void {
    const next = Math.max(0, Math.min(options.count - 1, selected + by));
    list.scrollTo(next);
    select(next);
  }

  list.scroller.addEventListener('keydown', (event) => {
    if (event.target !== list.scroller) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) move(by);
    else if (event.key === 'Enter' && options.count > 0) options.onOpen(selected);
    else return;
    event.preventDefault();
  });

  return {
    update(next) {
      const isOther = next.source !== options.source;
      options = next;
      if (isOther) selected = 0;
      list.scroller.setAttribute('aria-label', next.label);
      list.update(listOptions());
      if (isOther) list.scrollTo(0, 'start');
    },
    move,
    open: () => {
      if (options.count > 0) options.onOpen(selected);
    },
    refresh: () => list.refresh(),
    get selected() {
      return selected;
    },
    destroy: () => list.destroy(),
  };
}
