import { consume, consumePlain, disturb, produce } from './actors.ts';
import { Cluster } from './cluster.ts';
import type { SimulationParts } from './parts.ts';

export interface Verdict {
  readonly seed: number;
  readonly steps: number;
  /** What must not be, or null. */
  readonly violation: string | null;
  readonly acknowledged: number;
  readonly commits: number;
  /** Groups that ended with a trainer, of either API. */
  readonly trained: number;
  readonly kills: number;
}

const STEPS = 260;
/** After the storm: so many steps without faults must be enough for everything under way to end. */
const CALM_STEPS = 40;

/** One whole history from one seed. The same seed always gives the same history. */
export async function simulate(seed: number, parts?: SimulationParts): Promise<Verdict> {
  const cluster = new Cluster(seed, parts);
  const { world, witness } = cluster;
  const trainers = ['a', 'b', 'c'].map((name) => consume(cluster, name));
  const actors = [produce(cluster), produce(cluster), ...trainers, disturb(cluster)];
  if (world.random.chance(0.6)) actors.push(consumePlain(cluster));
  for (const actor of actors)
    actor.catch((error: unknown) => world.refuse(`an actor failed: ${(error as Error).stack}`));

  let steps = 0;
  for (; steps < STEPS + CALM_STEPS && world.violation === null; steps++) {
    world.isCalm = steps >= STEPS;
    await world.step();
    witness.check(cluster.servers);
  }
  const ends = [...cluster.database.fates.values()];
  const acknowledged = [...witness.pushes.values()].reduce((sum, push) => sum + push.acknowledged, 0);
  return {
    seed,
    steps,
    violation: world.violation?.message ?? null,
    acknowledged,
    commits: cluster.database.commits,
    trained: ends.filter(({ fate }) => fate === 'trained' || fate === 'delivered').length,
    kills: cluster.kills,
  };
}
