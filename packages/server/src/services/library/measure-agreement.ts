import type { Feedback } from '@lachesis/protocol';

export interface Agreement {
  /** Replies that both people and the other side rated. */
  n: number;
  /** Share on which both said good or both said bad; null when nothing was rated by both. */
  agreement: number | null;
  /** Cohen's kappa: agreement beyond what chance would give. Null where chance alone explains everything. */
  kappa: number | null;
  /** Mean distance of the two numbers. */
  distance: number | null;
  /** How often: both good, people good only, other good only, both bad. */
  table: { bothGood: number; peopleGood: number; othersGood: number; bothBad: number };
}

/** From here on a number between 0 and 1 counts as good. */
const GOOD_FROM = 0.5;

/** How far judges, or rules, say what people say. Several ratings of one thing are one, their mean. */
export function measureAgreement(feedback: readonly Feedback[], authorKind: 'judge' | 'rule'): Agreement {
  const people = meanByPlace(feedback, 'person');
  const others = meanByPlace(feedback, authorKind);
  const table = { bothGood: 0, peopleGood: 0, othersGood: 0, bothBad: 0 };
  let distance = 0;
  for (const [place, person] of people) {
    const other = others.get(place);
    if (other === undefined) continue;
    distance += Math.abs(person - other);
    if (person >= GOOD_FROM) table[other >= GOOD_FROM ? 'bothGood' : 'peopleGood'] += 1;
    else table[other >= GOOD_FROM ? 'othersGood' : 'bothBad'] += 1;
  }
  const n = table.bothGood + table.peopleGood + table.othersGood + table.bothBad;
  if (n === 0) return { n, agreement: null, kappa: null, distance: null, table };
  const agreement = (table.bothGood + table.bothBad) / n;
  const peopleShare = (table.bothGood + table.peopleGood) / n;
  const othersShare = (table.bothGood + table.othersGood) / n;
  const chance = peopleShare * othersShare + (1 - peopleShare) * (1 - othersShare);
  const kappa = chance === 1 ? null : (agreement - chance) / (1 - chance);
  return { n, agreement, kappa, distance: distance / n, table };
}

/** A place is a trajectory, or one turn of it. */
function meanByPlace(feedback: readonly Feedback[], authorKind: string): Map<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { feedback: given, value, withdrawn_at: withdrawnAt } of feedback) {
    if (value === null || withdrawnAt !== null || given.author_kind !== authorKind) continue;
    const place = JSON.stringify([given.trajectory_id, given.turn_index ?? null]);
    const found = sums.get(place) ?? { sum: 0, count: 0 };
    sums.set(place, { sum: found.sum + value, count: found.count + 1 });
  }
  return new Map([...sums].map(([place, { sum, count }]) => [place, sum / count]));
}
