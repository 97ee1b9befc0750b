import { createMarkerSearch } from './find-marker.ts';
import type { ToolCallEvent, ToolCallParser } from './tool-call-event.ts';

export interface Reading {
  /** How much of the buffer these events are; at least one character. */
  readonly consumed: number;
  readonly events: readonly ToolCallEvent[];
}

/**
 * Reads the beginning of the buffer, or returns undefined to wait for more. It must not wait when the reply is over, and must
 * decide the same whether a text came at once or bit by bit: so it decides only on what later text cannot change.
 */
export type Reader = (buffer: string, isOver: boolean) => Reading | undefined;

/** How many characters may be copied for each that arrives. At four in a piece, calls up to 4 KB are looked at with every piece. */
const EFFORT = 500;
/** Beyond that effort, the share by which the buffer has to grow before it is looked at again. */
const GROWTH_SHARE = 1 / 16;

/**
 * Makes a parser of a reader. Each look at the buffer copies it, so a long call in tiny pieces would take time in proportion to
 * the square of its length; when that begins, looks become rare: such a call comes out a sixteenth of its length later.
 */
export function createStreamParser(read: Reader): ToolCallParser {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let buffer = '';
  let waiting: string[] = [];
  let waitingLength = 0;
  let received = 0;
  let copied = 0;
  let isOver = false;

  const isDue = (): boolean =>
    copied + buffer.length + waitingLength <= EFFORT * received || waitingLength >= buffer.length * GROWTH_SHARE;

  const drain = (): ToolCallEvent[] => {
    const events: ToolCallEvent[] = [];
    buffer += waiting.join('');
    copied += buffer.length;
    waiting = [];
    waitingLength = 0;
    while (buffer !== '') {
      const reading = read(buffer, isOver);
      if (reading === undefined) break;
      // Not as arguments of one push: a list of calls may be longer than a stack allows.
      for (const event of reading.events) events.push(event);
      buffer = buffer.slice(reading.consumed);
    }
    return events;
  };
  return {
    push(piece) {
      if (isOver) return [];
      const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
      if (text === '') return [];
      waiting.push(text);
      waitingLength += text.length;
      received += text.length;
      // Half of a surrogate pair would become a broken character for whoever prints the text.
      return /[\ud800-\udbff]/.test(text.slice(-1)) || !isDue() ? [] : drain();
    },
    end() {
      if (isOver) return [];
      waiting.push(decoder.decode());
      isOver = true;
      return drain();
    },
  };
}

/** Reads text up to the first marker; keeps back what may be the beginning of one. */
export function createTextReader(markers: readonly string[]): Reader {
  const search = createMarkerSearch(markers);
  return (buffer, isOver) => {
    search.reset();
    const end = search.find(buffer, 0)?.at ?? buffer.length - (isOver ? 0 : countHeldBack(buffer, markers));
    return end === 0 ? undefined : { consumed: end, events: [{ type: 'text-delta', text: buffer.slice(0, end) }] };
  };
}

/** The length of the longest end of the text that a marker begins with. */
function countHeldBack(text: string, markers: readonly string[]): number {
  let longest = 0;
  for (const marker of markers) {
    for (let length = Math.min(marker.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(marker.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** The first place behind white space. */
export function skipSpace(buffer: string, from: number): number {
  let at = from;
  while (at < buffer.length && /\s/.test(buffer[at] ?? '')) at += 1;
  return at;
}

/** Whether the buffer at that place is, may still become, or cannot be the marker. */
export function compareMarker(buffer: string, at: number, marker: string): 'yes' | 'maybe' | 'no' {
  if (buffer.startsWith(marker, at)) return 'yes';
  return marker.startsWith(buffer.slice(at)) ? 'maybe' : 'no';
}
