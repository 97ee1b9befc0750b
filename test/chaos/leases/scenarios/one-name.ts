import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { runSideBySide } from '../../supervisor/judge/side-by-side.ts';
import type { Dialect } from '../../supervisor/subject/open-database.ts';
import type { Mutant } from '../subject/mutants.ts';
import { LEASE_USERS } from '../subject/users.ts';
import { awaitRefusals, DIALECTS, openWorld } from './open-world.ts';

/** How long the one that was paused may go on writing. */
const WRITES_MS = 1_500;

export const oneNameScenario: Scenario = {
  name: 'one-name',
  title: 'a process is replaced by another of the same name, as a pod is: the epoch tells them apart',
  async run(context) {
    await runSideBySide(
      DIALECTS.map((dialect) => async () => {
        const stale = await replace(context, dialect);
        context.report({
          name: `two of one name, ${dialect}`,
          figure: `${stale.reduce((sum, count) => sum + count, 0)} writes of the first kept`,
          bar: '0',
          ok: stale.every((count) => count === 0),
        });
      }),
    );
  },
};

export const mutantsScenario: Scenario = {
  name: 'mutants',
  title: 'a lease without an epoch, and one whose expiry is judged on the holder’s own clock, are found out',
  async run(context) {
    await runSideBySide(
      DIALECTS.flatMap((dialect) => [() => showNoEpoch(context, dialect), () => showOwnClock(context, dialect)]),
    );
  },
};

async function showNoEpoch(context: ScenarioContext, dialect: Dialect): Promise<void> {
  const stale = await replace(context, dialect, 'no-epoch');
  const caught = stale.filter((count) => count > 0).length;
  context.report({
    name: `mutant: a lease without an epoch, ${dialect}`,
    figure: `caught for ${caught} of ${LEASE_USERS.length} users; ${stale.reduce((sum, count) => sum + count, 0)} writes of an old holder kept`,
    bar: 'caught for all',
    ok: caught === LEASE_USERS.length,
  });
}

async function showOwnClock(context: ScenarioContext, dialect: Dialect): Promise<void> {
  const world = await openWorld(context, dialect);
  const living = await world.start('a');
  await world.awaitAllHeld([living]);
  const hasty = await world.start('b', 'own-clock');
  await sleep(WRITES_MS);
  // Without the fault nobody gets one while its holder lives: that is the first line of `holders`.
  const taken = LEASE_USERS.filter(({ name }) => (living.refused.get(name) ?? 0) > 0 || hasty.epochs.has(name)).length;
  context.report({
    name: `mutant: expiry on the holder's own clock, ${dialect}`,
    figure: `${taken} of ${LEASE_USERS.length} leases taken from a holder that lives`,
    bar: 'all',
    ok: taken === LEASE_USERS.length,
  });
}

/** Writes of the first process that were kept after the second had the lease, by user. */
async function replace(context: ScenarioContext, dialect: Dialect, mutant?: Mutant): Promise<number[]> {
  const world = await openWorld(context, dialect);
  const first = await world.start('pod-0', mutant);
  await world.awaitAllHeld([first]);
  await first.pause();
  const had = new Map(first.epochs);
  const second = await world.start('pod-0', mutant);
  await world.awaitAllHeld([second]);
  if (mutant === undefined) await awaitRefusals(first, had);
  else first.resume();
  await sleep(WRITES_MS);
  const written = await world.read();
  return LEASE_USERS.map(({ name }) => written.get(name)?.stale ?? 0);
}
