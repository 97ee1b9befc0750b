import type { FindSpans, Span } from './span.ts';

/** A part of a text that is looked at by itself. */
export interface Window {
  readonly start: number;
  end: number;
}

/** How far around a place is looked; names, options and sentences are nearer. */
export const REACH = 1_200;

/** A window begins and ends at a blank, so that no word is cut; as far as this. */
const LONGEST_WORD = 600;

/** The surroundings of some places of a text, which are in order. */
export function windowsAround(text: string, places: readonly number[]): Window[] {
  const windows: Window[] = [];
  let last: Window | undefined;
  for (const place of places) {
    if (last !== undefined && place - REACH <= last.end) last.end = place + REACH;
    else {
      if (last !== undefined) last.end = blankAfter(text, last.end);
      last = { start: blankBefore(text, Math.max(0, place - REACH)), end: place + REACH };
      windows.push(last);
    }
  }
  if (last !== undefined) last.end = blankAfter(text, Math.min(text.length, last.end));
  return windows;
}

/** Looks into windows of a text instead of all of it. */
export function findInWindows(text: string, windows: readonly Window[], find: FindSpans): Span[] {
  if (windows.length === 1 && windows[0]?.start === 0 && windows[0].end === text.length) return find(text);
  return windows.flatMap(({ start, end }) =>
    find(text.slice(start, end)).map((span) => ({ ...span, start: span.start + start, end: span.end + start })),
  );
}

function blankBefore(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at < LONGEST_WORD && text.charCodeAt(at) > 32) at -= 1;
  return at;
}

function blankAfter(text: string, from: number): number {
  let at = from;
  while (at < text.length && at - from < LONGEST_WORD && text.charCodeAt(at) > 32) at += 1;
  return at;
}
