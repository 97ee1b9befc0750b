import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { runSideBySide } from '../../supervisor/judge/side-by-side.ts';
import type { Dialect } from '../../supervisor/subject/open-database.ts';
import type { Holder } from '../subject/start-holder.ts';
import { LEASE_USERS } from '../subject/users.ts';
import { awaitRefusals, DIALECTS, LEASE_SECONDS, openWorld, type World } from './open-world.ts';

export const holdersScenario: Scenario = {
  name: 'holders',
  title: 'three processes want the same leases and are paused and killed: what an old holder writes is refused',
  async run(context) {
    await runSideBySide(DIALECTS.map((dialect) => () => showHolders(context, dialect)));
  },
};

async function showHolders(context: ScenarioContext, dialect: Dialect): Promise<void> {
  const world = await openWorld(context, dialect);
  const first = await world.start('a');
  await world.awaitAllHeld([first]);
  const all = [first, ...(await Promise.all(['b', 'c'].map((name) => world.start(name))))];
  await sleep(1.5 * LEASE_SECONDS * 1000);
  context.report({
    name: `while its holder lives, ${dialect}`,
    figure: `${[...first.epochs.values()].filter((epoch) => epoch === 1).length} of ${LEASE_USERS.length} stay with it`,
    bar: `all, for ${1.5 * LEASE_SECONDS} s`,
    ok: first.epochs.size === LEASE_USERS.length && [...first.epochs.values()].every((epoch) => epoch === 1),
  });

  await pause(world, first, all);
  const busiest = mostOf(all);
  busiest.kill();
  const left = all.filter((one) => one !== busiest);
  await world.awaitAllHeld(left);
  await pause(world, mostOf(left), left);

  const written = await world.read();
  for (const { name } of LEASE_USERS) {
    const { kept, stale } = written.get(name) ?? { kept: 0, stale: 0 };
    const refused = all.reduce((sum, holder) => sum + (holder.refused.get(name) ?? 0), 0);
    context.report({
      name: `${name}, ${dialect}`,
      figure: `${stale} writes of an old holder kept, ${refused} refused; ${kept} of holders kept`,
      bar: '0 kept, ≥ 1 refused',
      ok: stale === 0 && refused > 0 && kept > 0,
    });
  }
}

const mostOf = (holders: readonly Holder[]): Holder =>
  holders.reduce((most, one) => (one.epochs.size > most.epochs.size ? one : most));

/** It sleeps until the others have all that it held, and then goes on with what it had decided to write. */
async function pause(world: World, holder: Holder, all: readonly Holder[]): Promise<void> {
  await holder.pause();
  const had = new Map(holder.epochs);
  await world.awaitAllHeld(all.filter((one) => one !== holder));
  await awaitRefusals(holder, had);
}
