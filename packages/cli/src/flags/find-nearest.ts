import { editDistance } from '@lachesis/protocol/names';

/** The name that somebody who typed another most likely meant; undefined when there are none. */
export function findNearest(typed: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(typed, candidate) }));
  return ranked.sort((left, right) => left.distance - right.distance)[0]?.candidate;
}
