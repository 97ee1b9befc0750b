import { editDistance } from '@lachesis/protocol/names';

/** Further apart than this share of its letters, a name is no typing error of the other. */
const MOST_CHANGED = 0.5;

/** The known name that is most like the given one; undefined when none is near. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  if (best === undefined || best.distance > Math.max(2, name.length * MOST_CHANGED)) return undefined;
  return best.candidate;
}
