import { editDistance } from '@lachesis/protocol/names';

/** The name that somebody who typed another most likely meant; undefined when there are none, or none is as near as that. */
export function findNearest(
  typed: string,
  known: readonly string[],
  mostChanged: number = Number.POSITIVE_INFINITY,
): string | undefined {
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(typed, candidate) }));
  const [nearest] = ranked.sort((left, right) => left.distance - right.distance);
  return nearest === undefined || nearest.distance > mostChanged ? undefined : nearest.candidate;
}
