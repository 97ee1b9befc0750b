import { collectHomeOrphans, openHome, type Home } from '@lachesis/store';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { fillHome } from '../fill-home.ts';
import { judgeHome } from '../judge-home.ts';
import { runGc, startGc } from '../run-gc.ts';

const SIZE = { groups: 6_000, waitingEvery: 20, events: 20_000, records: 1_000 };
const KILLS = 4;
const FULL_KILLS = 20;
const LOOK_MS = 5;

/** kill -9 of `lachesis gc` wherever it is, again and again; the last one comes to its end. */
export const killScenario: Scenario = {
  name: 'kills',
  title: 'a collector that is killed in the middle leaves nothing half, and the next one goes on',
  async run(context) {
    const kills = context.full ? FULL_KILLS : KILLS;
    const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'retention' });
    context.defer(() => database.drop());
    const place = { home: join(await context.scratch(), 'home'), databaseUrl: database.url };
    const home = await openHome(place);
    context.defer(() => home.close());
    const filled = await fillHome(home, SIZE);
    await runGc(place, '--keep-history', '30', '--keep-keys', '30', '--keep-events', '30', '--keep-records', '30');
    const at: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const left = await countLeft(home);
      const gc = await startGc(place);
      // Somewhere within the next part of all that goes.
      const until = left - Math.random() * (left / (kills - kill + 1));
      while (gc.isRunning() && (await countLeft(home)) >= until) await sleep(LOOK_MS);
      gc.signal('SIGKILL');
      await gc.exited;
      at.push(await countLeft(home));
    }
    await runGc(place);
    // A payload whose row went and whose bytes were still there belongs to the collector of orphans, which waits a day for it.
    const { blobs } = await home.serveBlobs();
    await collectHomeOrphans({ home: { store: home.store, blobs }, graceMs: 0 });
    const findings = await judgeHome(home, filled, place.home);
    context.report({
      name: 'kills of the collector',
      figure: `${kills} kills, with ${at.join(', ')} rows left; ${findings.length} findings${findings[0] === undefined ? '' : `: ${findings[0]}`}`,
      bar: `killed with rows left, 0 findings`,
      ok: findings.length === 0 && at.every((left) => left > 0),
    });
  },
};

/** Rows that are to go, of all kinds. */
async function countLeft({ store }: Home): Promise<number> {
  const counts = await Promise.all(
    (['group_fates', 'batches', 'idempotency_keys', 'trajectories', 'events'] as const).map(
      async (table) =>
        await store.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('count'))
          .executeTakeFirstOrThrow(),
    ),
  );
  // The newest event stays.
  return counts.reduce((sum, { count }) => sum + Number(count), 0) - 1;
}
