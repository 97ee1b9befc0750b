import { createEvenHeights, createMeasuredHeights, type RowHeights } from './row-heights.ts';

export interface VirtualListOptions {
  readonly count: number;
  /** Height of every row in pixels, or a guess for each, which gives way to what was measured. Rows have no margins. */
  readonly height: number | ((index: number) => number);
  /** Makes a row; it is asked again when the row comes back into view. */
  readonly render: (index: number) => HTMLElement;
  /** What is in view has changed: for those who load more, or draw a map. */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  /** Rows that are made beyond what is seen, on each side. */
  readonly spare?: number;
  /** The role of the element around the rows, such as `list`. */
  readonly role?: string;
  /** Its style sheet makes it no taller than its rows: `--rows` says how tall they are. */
  readonly fitsRows?: boolean;
}

export interface VirtualList {
  /** What scrolls, and takes the focus. */
  readonly scroller: HTMLElement;
  /** Other rows; the place in the list stays. */
  update(options: VirtualListOptions): void;
  /** The same rows and more of them behind: what was measured stays, and so do the rows in view. */
  grow(options: VirtualListOptions): void;
  /** Makes the rows in view again. */
  refresh(): void;
  /** The row that is made at a place, while it is in view. */
  rowAt(index: number): HTMLElement | undefined;
  /** The first row that is seen, and the last. */
  range(): { first: number; last: number };
  scrollTo(index: number, align?: 'start' | 'nearest'): void;
  destroy(): void;
}

/** Browsers stop at 17 (Firefox) or 33 million pixels. A list that is taller is scrolled by its share. */
const TALLEST = 15_000_000;
const MEASURE_TIMES = 4;

/** A list of any length, of which only what is seen exists. Rows stand in the flow of one holder: they cannot overlap. */
export function mountVirtualList(element: HTMLElement, given: VirtualListOptions): VirtualList {
  const document = element.ownerDocument;
  const scroller = document.createElement('div');
  const sizer = document.createElement('div');
  const holder = document.createElement('div');
  scroller.className = 'virtual';
  sizer.className = 'virtual-sizer';
  holder.className = 'virtual-rows';
  scroller.tabIndex = 0;
  sizer.append(holder);
  scroller.append(sizer);
  element.append(scroller);

  let options = given;
  let heights = makeHeights(given);
  /** Where the view begins in the list; the scroll bar only says so to a pixel, or to many where the list is tall. */
  let top = 0;
  let expectedScroll = 0;
  /** Rows from here to here are made. */
  let from = 0;
  let to = 0;
  const rows = new Map<number, HTMLElement>();
  if (given.role !== undefined) holder.setAttribute('role', given.role);

  const view = (): number => scroller.clientHeight;
  const shownHeight = (): number => Math.min(heights.total, TALLEST);
  const ratio = (): number => {
    const [tall, shown, seen] = [heights.total, shownHeight(), view()];
    return tall <= shown || shown <= seen ? 1 : (tall - seen) / (shown - seen);
  };

  function setHeight(): void {
    sizer.style.height = `${shownHeight()}px`;
    // All rows inherit it, so that each change styles them anew: for those who want it.
    if (options.fitsRows === true) scroller.style.setProperty('--rows', `${shownHeight()}px`);
  }

  function moveTo(next: number): void {
    top = Math.max(0, Math.min(next, heights.total - view()));
    scroller.scrollTop = top / ratio();
    expectedScroll = scroller.scrollTop;
  }

  function clear(): void {
    holder.replaceChildren();
    rows.clear();
    from = 0;
    to = 0;
  }

  /** Adds and removes at the ends alone, so that what has the focus is not moved. */
  function makeRows(first: number, end: number): void {
    if (first >= to || end <= from) clear();
    for (const [index, row] of rows) {
      if (index >= first && index < end) continue;
      row.remove();
      rows.delete(index);
    }
    const known = holder.firstChild;
    for (let index = first; index < end; index += 1) {
      if (rows.has(index)) continue;
      const row = options.render(index);
      if (options.role === 'list') {
        row.setAttribute('role', 'listitem');
        row.setAttribute('aria-posinset', String(index + 1));
        row.setAttribute('aria-setsize', String(options.count));
      }
      rows.set(index, row);
      if (known !== null && index < from) holder.insertBefore(row, known);
      else holder.append(row);
    }
    from = first;
    to = end;
  }

  /** True where a row turned out to be of another height. */
  function measure(): boolean {
    if (typeof options.height === 'number') return false;
    const anchor = heights.indexAt(top);
    const within = top - heights.offsetOf(anchor);
    let isOther = false;
    for (const [index, row] of rows) {
      const height = row.getBoundingClientRect().height;
      if (Math.abs(height - heights.heightOf(index)) < 0.5) continue;
      heights.set(index, height);
      isOther = true;
    }
    if (isOther) {
      setHeight();
      moveTo(heights.offsetOf(anchor) + Math.min(within, heights.heightOf(anchor)));
    }
    return isOther;
  }

  function draw(): void {
    for (let time = 0; time < MEASURE_TIMES; time += 1) {
      const spare = options.spare ?? 4;
      const first = Math.max(0, heights.indexAt(top) - spare);
      const end = options.count === 0 ? 0 : Math.min(options.count, heights.indexAt(top + view()) + 1 + spare);
      makeRows(first, end);
      holder.style.transform = `translateY(${scroller.scrollTop - (top - heights.offsetOf(first))}px)`;
      if (!measure()) break;
    }
    const { first, last } = range();
    options.onRange?.(first, last);
  }

  function range(): { first: number; last: number } {
    return { first: heights.indexAt(top), last: heights.indexAt(Math.max(top, top + view() - 1)) };
  }

  /** Where the reader has gone: the browser tells of it a frame later, and whoever draws before that would put him back. */
  function readPlace(): void {
    if (Math.abs(scroller.scrollTop - expectedScroll) >= 1) top = scroller.scrollTop * ratio();
    expectedScroll = scroller.scrollTop;
  }

  function onScroll(): void {
    readPlace();
    draw();
  }

  /** In a list that is scrolled by its share a turn of the wheel is still a turn of the wheel. */
  function onWheel(event: WheelEvent): void {
    if (ratio() === 1 || event.deltaMode !== 0 || event.ctrlKey) return;
    event.preventDefault();
    readPlace();
    moveTo(top + event.deltaY);
    draw();
  }

  function layOut(): void {
    readPlace();
    setHeight();
    moveTo(top);
    draw();
  }

  scroller.addEventListener('scroll', onScroll, { passive: true });
  scroller.addEventListener('wheel', onWheel, { passive: false });
  let seen = { view: -1, width: -1, rows: -1 };
  const observer = new ResizeObserver(() => {
    const now = { view: view(), width: scroller.clientWidth, rows: holder.offsetHeight };
    if (now.view === seen.view && now.width === seen.width && now.rows === seen.rows) return;
    seen = now;
    layOut();
  });
  observer.observe(scroller);
  observer.observe(holder);
  layOut();

  return {
    scroller,
    update(next) {
      readPlace();
      options = next;
      heights = makeHeights(next);
      clear();
      layOut();
    },
    grow(next) {
      readPlace();
      const [before, known] = [heights, options.count];
      const guess = next.height;
      options = next;
      heights =
        typeof guess === 'number'
          ? createEvenHeights(next.count, guess)
          : createMeasuredHeights(next.count, (index) => (index < known ? before.heightOf(index) : guess(index)));
      layOut();
    },
    refresh() {
      readPlace();
      clear();
      draw();
    },
    rowAt: (index) => rows.get(index),
    range,
    scrollTo(index, align = 'nearest') {
      readPlace();
      const [start, height] = [heights.offsetOf(index), heights.heightOf(index)];
      if (align === 'start' || start < top) moveTo(start);
      else if (start + height > top + view()) moveTo(start + height - view());
      draw();
      // A row that came in was only guessed until now.
      if (align === 'start' && Math.abs(heights.offsetOf(index) - top) > 1) {
        moveTo(heights.offsetOf(index));
        draw();
      }
    },
    destroy() {
      observer.disconnect();
      scroller.remove();
    },
  };
}

function makeHeights({ count, height }: VirtualListOptions): RowHeights {
  return typeof height === 'number' ? createEvenHeights(count, height) : createMeasuredHeights(count, height);
}
