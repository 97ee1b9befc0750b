export interface PagerOptions<Row> {
  /** Rows of a full page. */
  readonly size: number;
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<{ rows: Row[]; next: string | null }>;
  /** How many rows are behind a cursor, and where their pages begin but for the first; undefined where nobody can say. */
  readonly findPages?: (
    cursor: string,
    signal: AbortSignal,
  ) => Promise<{ count: number; cursors: readonly string[] } | undefined>;
  readonly onChange: () => void;
}

export interface Pager<Row> {
  /** Rows that are known to be there, loaded or not. */
  readonly count: number;
  /** Whether the last one is known. */
  readonly isWhole: boolean;
  readonly error: unknown;
  /** Undefined while it is on its way. */
  rowAt(index: number): Row | undefined;
  /** What is seen; pages that are near are loaded, those that are far are let go of. */
  show(first: number, last: number): void;
  /** Asks again for what failed. */
  retry(): void;
  destroy(): void;
}

/** So many pages are held: what a reader scrolls past does not stay in memory. */
const HELD = 24;

/** A list that is read by cursors, page by page, of which only the pages near the reader are held. */
export function createPager<Row>(options: PagerOptions<Row>): Pager<Row> {
  /** Where each page begins that is known; the last of them may not be loaded yet. */
  const cursors: (string | undefined)[] = [undefined];
  const pages = new Map<number, Row[]>();
  const waiting = new Map<number, AbortController>();
  let count = 0;
  let isWhole = false;
  let error: unknown;
  let seen = { first: 0, last: 0 };

  const pageOf = (index: number): number => Math.floor(index / options.size);

  async function load(page: number): Promise<void> {
    if (pages.has(page) || waiting.has(page) || page >= cursors.length || error !== undefined) return;
    const controller = new AbortController();
    waiting.set(page, controller);
    try {
      const { rows, next } = await options.load(cursors[page], controller.signal);
      if (controller.signal.aborted) return;
      pages.set(page, rows);
      count = Math.max(count, page * options.size + rows.length);
      if (next === null) isWhole = true;
      // A page that is not full cannot be followed: places of rows would no longer be told by counting.
      else if (page === cursors.length - 1 && rows.length === options.size) cursors.push(next);
      if (page === 0 && next !== null && !isWhole) void findAll(next);
      letGo();
    } catch (cause) {
      if (controller.signal.aborted) return;
      error = cause;
    } finally {
      if (waiting.get(page) === controller) waiting.delete(page);
    }
    options.onChange();
    want();
  }

  const ending = new AbortController();
  /** From then on a reader can go to any row. Where it fails, rows are found page by page as before. */
  async function findAll(behind: string): Promise<void> {
    const found = await options.findPages?.(behind, ending.signal).catch(() => undefined);
    if (found === undefined || ending.signal.aborted) return;
    cursors.splice(1, cursors.length, behind, ...found.cursors);
    count = Math.max(count, options.size + found.count);
    isWhole = true;
    options.onChange();
    want();
  }

  function letGo(): void {
    const middle = pageOf((seen.first + seen.last) / 2);
    const far = [...pages.keys()].toSorted((one, other) => Math.abs(other - middle) - Math.abs(one - middle));
    for (const page of far.slice(0, Math.max(0, pages.size - HELD))) pages.delete(page);
  }

  /** The pages in view, and the next one before its end is reached. */
  function want(): void {
    const until = pageOf(seen.last + Math.floor(options.size / 2));
    const from = pageOf(seen.first);
    // Who drags the bar over a long list passes by hundreds of pages that he does not look at.
    for (const [page, controller] of waiting) {
      if (page >= from - 1 && page <= until + 1) continue;
      controller.abort();
      waiting.delete(page);
    }
    for (let page = from; page <= until; page += 1) void load(page);
  }

  void load(0);
  return {
    get count() {
      return count;
    },
    get isWhole() {
      return isWhole;
    },
    get error() {
      return error;
    },
    rowAt: (index) => pages.get(pageOf(index))?.[index % options.size],
    show(first, last) {
      seen = { first, last };
      want();
    },
    retry() {
      error = undefined;
      want();
    },
    destroy() {
      ending.abort();
      for (const controller of waiting.values()) controller.abort();
      waiting.clear();
    },
  };
}
