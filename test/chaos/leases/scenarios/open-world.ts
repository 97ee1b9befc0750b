import { openHome } from '@lachesis/store';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { waitUntil } from '../../supervisor/judge/wait-until.ts';
import { openDatabase, type Dialect } from '../../supervisor/subject/open-database.ts';
import type { Mutant } from '../subject/mutants.ts';
import { startHolder, type Holder } from '../subject/start-holder.ts';
import { createThings, LEASE_USERS } from '../subject/users.ts';
import { createWitness, readWitness, type WitnessedWrites } from '../subject/witness.ts';

/** Long enough that a busy machine renews in time, four times within it. */
export const LEASE_SECONDS = 3;
export const DIALECTS: readonly Dialect[] = ['SQLite', 'PostgreSQL'];
const TAKEOVER_MS = 30_000;

export interface World {
  readonly dialect: Dialect;
  start(holder: string, mutant?: Mutant): Promise<Holder>;
  /** Each thing is with one of these. */
  awaitAllHeld(by: readonly Holder[]): Promise<void>;
  read(): Promise<Map<string, WitnessedWrites>>;
}

/** A database with one thing of each sort to hold. */
export async function openWorld(context: ScenarioContext, dialect: Dialect): Promise<World> {
  const place = { home: await context.scratch(), databaseUrl: await openDatabase(context, dialect) };
  const { store, blobs } = await openHome(place);
  context.defer(() => store.close());
  const things = await createThings({ store, blobs });
  await createWitness(store);
  return {
    dialect,
    start: (holder, mutant) =>
      startHolder(context, { ...place, things, holder, seconds: LEASE_SECONDS, mutant: mutant ?? null }),
    async awaitAllHeld(by) {
      const names = by.map(({ name }) => name).join(' and ');
      const isHeld = (): boolean => LEASE_USERS.every(({ name }) => by.some(({ epochs }) => epochs.has(name)));
      await waitUntil(`${names}, ${dialect}: everything is held`, TAKEOVER_MS, isHeld);
    },
    read: () => readWitness(store),
  };
}

/** All that it held when it was paused is refused. */
export async function awaitRefusals(holder: Holder, paused: ReadonlyMap<string, number>): Promise<void> {
  const before = new Map(holder.refused);
  holder.resume();
  await waitUntil(`the writes of ${holder.name} are refused`, TAKEOVER_MS, () =>
    [...paused.keys()].every((who) => (holder.refused.get(who) ?? 0) > (before.get(who) ?? 0)),
  );
}
