import type { FindSpans, Span } from './span.ts';

/** Below this an exact value would take ordinary words out of every text. */
export const SHORTEST_SECRET = 4;

/** Finds values that somebody named, in the forms they travel in: as they are, in JSON, in an address, in base64. */
export function createExactFinder(values: readonly string[], kind: string): FindSpans {
  const needles = [...new Set(values.flatMap(formsOf))].toSorted((left, right) => right.length - left.length);
  return (text) => {
    const spans: Span[] = [];
    for (const needle of needles) {
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
        spans.push({ start: at, end: at + needle.length, kind });
      }
    }
    return spans;
  };
}

function formsOf(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [value, escaped, twice, encodeURIComponent(value), ...base64Forms(value)];
}

/** Three bytes are four characters, so that the same value reads in three ways; its ends belong to its neighbours too. */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  if (bytes.length < 8) return [];
  return [0, 1, 2].flatMap((shift) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(shift), ...bytes)).replaceAll('=', '');
    const start = shift === 0 ? 0 : shift + 1;
    const core = text.slice(start, (bytes.length + shift) % 3 === 0 ? undefined : -1);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
