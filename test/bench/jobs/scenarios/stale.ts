import { LeaseLostError, openHome, openWork } from '@lachesis/store';
import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findJobsPeers, NO_JOBS_PEERS } from '../../../peers/jobs/find-jobs-peers.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { rest } from '../contenders/contender.ts';
import { openPgBoss } from '../contenders/pg-boss.ts';

const BAR = 'refused, and the end of who has it stands';
const QUEUE = 'job';

/** A worker that was away for longer than its claim ends an item that somebody else has. */
export const staleScenario: Scenario = {
  name: 'stale',
  title: 'what a worker writes whose claim ran out is refused',
  async run(context) {
    await using database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'stale' });
    const { url } = database;
    const home = await openHome({ home: await context.scratch(), databaseUrl: url });
    context.defer(() => home.close());
    const open = (name: string) => openWork({ store: home.store, blobs: home.blobs, tenantId: 'bench', name });
    const endWith = async (name: string, isFenced: boolean): Promise<string> => {
      const work = open(name);
      await work.create({ settings: {}, inputs: [{}] });
      const take = async (holder: string, leaseSeconds: number) => {
        const [item] = await work.acquire({ holder, leaseSeconds, count: 1 });
        if (item === undefined) throw new Error(`${holder} got nothing`);
        return item;
      };
      const away = await take('away', 0);
      const holder = await take('holder', 60);
      // The fault knows who has the item now, as a write by its number alone would.
      const item = isFenced ? away : { ...away, holder: holder.holder, epoch: holder.epoch };
      const end = { state: 'done' as const, cost: 0 };
      const isTaken = await work.finish({ ...end, item, result: 'away' }).then(
        () => true,
        (error: unknown) => {
          if (LeaseLostError.isInstance(error)) return false;
          throw error;
        },
      );
      if (!isTaken) await work.finish({ ...end, item: holder, result: 'holder' });
      const [ended] = await Array.fromAsync(work.iterate({}));
      return describe(isTaken, String(ended?.result));
    };
    const ours = await endWith('ours', true);
    context.report({ name: 'stale, ours', figure: ours, bar: BAR, ok: ours === describe(false, 'holder') });
    const fault = await endWith('fault', false);
    const isCaught = fault !== describe(false, 'holder');
    context.report({
      name: 'fault: an end by the number of the item alone',
      figure: `${fault}: ${isCaught ? 'caught' : 'not caught'}`,
      ...{ bar: 'caught', ok: isCaught },
    });
    await reportPgBoss(context, url);
  },
};

async function reportPgBoss(context: ScenarioContext, url: string): Promise<void> {
  if (findJobsPeers() === undefined) {
    context.reportNotRun({ name: 'stale, pg-boss', why: NO_JOBS_PEERS, bar: 'printed' });
    return;
  }
  await using contender = await openPgBoss({ url });
  const { boss } = contender;
  for (const isFenced of [true, false]) {
    if (isFenced) await contender.fill(1);
    else await boss.insert(QUEUE, [{ data: { index: 1 } }]);
    const away = (await boss.fetch(QUEUE, { batchSize: 1, includeMetadata: true }))[0];
    let holder: typeof away;
    while (holder === undefined) {
      await rest(200);
      await boss.supervise(QUEUE);
      holder = (await boss.fetch(QUEUE, { batchSize: 1, includeMetadata: true }))[0];
    }
    if (away === undefined) throw new Error('pg-boss gave nothing');
    const { id, retryCount } = away;
    const { affected } = await boss.complete(QUEUE, isFenced ? { id, retryCount } : id, { by: 'away' });
    // So that the next round has the queue for itself.
    await boss.complete(QUEUE, id, { by: 'holder' });
    context.report({
      name: `stale, pg-boss ${isFenced ? 'with the attempt' : 'with the id alone'}`,
      figure: affected > 0 ? 'taken' : 'refused',
      ...{ bar: 'printed', ok: true },
    });
  }
}

const describe = (isTaken: boolean, stands: string): string =>
  `${isTaken ? 'taken' : 'refused'}, the end of ${stands === 'holder' ? 'who has it' : 'who was away'} stands`;
