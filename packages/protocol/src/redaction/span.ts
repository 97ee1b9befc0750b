/** A piece of a text that must not be kept, and what it is. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Goes into the mark that is left in its place: `[redacted:api-key]`. */
  readonly kind: string;
}

/** Looks for one sort of secret. `before` is what others found in the same text. */
export type FindSpans = (text: string, before?: readonly Span[]) => Span[];

const MARK = '[redacted';

export const markOf = (kind: string): string => `${MARK}:${kind}]`;

/** Stands for a text that could not be checked in time. */
export const WITHHELD_MARK = '[withheld:not-checked-in-time]';

/** What an earlier pass left. It is left alone, so that redacting twice is redacting once. */
export const isMark = (text: string): boolean => text.startsWith(MARK) || text.startsWith('[withheld:');

/** Joins what overlaps: two finders often see the same secret, and the longer view of it is the safe one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

/** Adds a span that ends after all others, and swallows those it overlaps: a text of one value has one span. */
export function extendSpans(spans: Span[], start: number, end: number, kind: string): void {
  let first = start;
  for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
    first = Math.min(first, last.start);
    spans.pop();
  }
  spans.push({ start: first, end, kind });
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end, kind } of spans) {
    kept.push(text.slice(from, start), markOf(kind));
    from = end;
  }
  kept.push(text.slice(from));
  return kept.join('');
}
