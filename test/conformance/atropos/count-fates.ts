import type { EnvironmentFacts } from '../../peers/atropos/start-environment.ts';
import type { DeliveredBatch } from '../../peers/atropos/start-trainer.ts';

export interface Fates {
  readonly acknowledged: number;
  /** Acknowledged and never delivered. */
  readonly lost: number;
  /** Delivered more often than once. */
  readonly duplicated: number;
  /** Given up by the environment itself. */
  readonly dropped: number;
}

/** Follows every numbered group from its acknowledgement to its delivery; `facts[n]` belongs to environment id n. */
export function countFates(options: { facts: readonly EnvironmentFacts[]; batches: readonly DeliveredBatch[] }): Fates {
  const { facts, batches } = options;
  const deliveries = new Map<string, number>();
  for (const group of batches.flatMap((batch) => batch.groups)) {
    if (group.number === null) continue;
    const key = `${group.env_id}/${group.number}`;
    deliveries.set(key, (deliveries.get(key) ?? 0) + 1);
  }
  const acknowledged = new Set(facts.flatMap((fact, envId) => fact.acknowledged.map((number) => `${envId}/${number}`)));
  return {
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((key) => !deliveries.has(key)).length,
    duplicated: [...deliveries.values()].filter((count) => count > 1).length,
    dropped: facts.flatMap((fact) => fact.dropped).length,
  };
}
