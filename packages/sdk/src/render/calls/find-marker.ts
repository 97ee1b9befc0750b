export interface FoundMarker {
  readonly marker: string;
  readonly at: number;
}

export interface MarkerSearch {
  /** The first marker at or behind `from`; of two that begin at one place, the one named first. */
  find(buffer: string, from: number): FoundMarker | undefined;
  /** Forgets how far was looked. To be called when the buffer begins anew. */
  reset(): void;
}

/**
 * Looks for the first of several markers in a buffer that grows at its end. Nothing behind the first marker is looked at, and
 * nothing twice: a reply that is all markers, or one long call, takes time in proportion to its length.
 */
export function createMarkerSearch(markers: readonly string[]): MarkerSearch {
  const pattern = new RegExp(markers.map((marker) => marker.replaceAll(/[[\]|]/g, String.raw`\$&`)).join('|'), 'g');
  const longest = Math.max(...markers.map(({ length }) => length));
  /** No marker begins from here … */
  let clearFrom = Infinity;
  /** … to here. */
  let clearTo = 0;
  return {
    find(buffer, from) {
      const isKnown = from >= clearFrom && from <= clearTo;
      pattern.lastIndex = isKnown ? clearTo : from;
      if (!isKnown) clearFrom = from;
      const match = pattern.exec(buffer);
      // The end of the buffer may be the beginning of a marker.
      clearTo = match?.index ?? Math.max(from, buffer.length - longest + 1);
      return match === null ? undefined : { marker: match[0], at: match.index };
    },
    reset() {
      clearFrom = Infinity;
      clearTo = 0;
    },
  };
}
