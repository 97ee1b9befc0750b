/** A piece of a text that must not be kept, and what it is. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Goes into the mark that is left in its place: `[redacted:api-key]`. */
  readonly kind: string;
}

/** Looks for one sort of secret. */
export type FindSpans = (text: string) => Span[];

const MARK = '[redacted';

export const markOf = (kind: string): string => `${MARK}:${kind}]`;

/** What an earlier pass left. It is left alone, so that redacting twice is redacting once. */
export const isMark = (text: string): boolean => text.startsWith(MARK);

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

export function replaceSpans(text: string, spans: readonly Span[]): string {
  let kept = '';
  let from = 0;
  for (const { start, end, kind } of spans) {
    kept += text.slice(from, start) + markOf(kind);
    from = end;
  }
  return kept + text.slice(from);
}
