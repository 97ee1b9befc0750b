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

export function createStreamParser(read: Reader): ToolCallParser {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let buffer = '';
  let isOver = false;

  const drain = (): ToolCallEvent[] => {
    const events: ToolCallEvent[] = [];
    while (buffer !== '') {
      const reading = read(buffer, isOver);
      if (reading === undefined) break;
      events.push(...reading.events);
      buffer = buffer.slice(reading.consumed);
    }
    return events;
  };
  return {
    push(piece) {
      if (isOver) return [];
      buffer += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
      // Half of a surrogate pair would become a broken character for whoever prints the text.
      return /[\ud800-\udbff]$/.test(buffer) ? [] : drain();
    },
    end() {
      if (isOver) return [];
      buffer += decoder.decode();
      isOver = true;
      return drain();
    },
  };
}

/** Reads text up to the first marker; keeps back what may be the beginning of one. */
export function readTextBefore(buffer: string, markers: readonly string[], isOver: boolean): Reading | undefined {
  const places = markers.map((marker) => buffer.indexOf(marker)).filter((at) => at >= 0);
  const end = places.length > 0 ? Math.min(...places) : buffer.length - (isOver ? 0 : countHeldBack(buffer, markers));
  return end === 0 ? undefined : { consumed: end, events: [{ type: 'text-delta', text: buffer.slice(0, end) }] };
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
