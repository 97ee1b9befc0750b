import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMarkerSearch } from './find-marker.ts';

const MARKERS = ['<a>', '</a>', '[x|', '{'];

test('a search that goes on where it stopped finds what a search from the beginning finds', () => {
  const part = fc.constantFrom('<', '<a', '<a>', '</a>', '[', '[x', '[x|', '{', 'b', ' ');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.nat(3), (parts, from) => {
      const search = createMarkerSearch(MARKERS);
      let buffer = '';
      for (const piece of parts) {
        buffer += piece;
        const places = MARKERS.map((marker) => ({ marker, at: buffer.indexOf(marker, from) })).filter(
          ({ at }) => at >= 0,
        );
        const first = places.sort((a, b) => a.at - b.at)[0];
        expect(search.find(buffer, from)).toEqual(first);
      }
    }),
  );
});
