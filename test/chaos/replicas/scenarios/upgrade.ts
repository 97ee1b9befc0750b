import type { Scenario } from '../../../scenarios/scenario.ts';
import type { Fault } from '../../trajectory-api/faults/fault.ts';
import { strikeUnderLoad } from '../../trajectory-api/faults/strike-under-load.ts';
import { openPostgres } from '../../trajectory-api/scenarios/open-postgres.ts';
import { CLI } from '../../trajectory-api/subject/start-subject.ts';
import { judgeLoads } from '../judge/judge-loads.ts';
import { LEASE_SECONDS, startLoads } from '../load/start-loads.ts';
import { buildBefore, findBefore, type BuiltBefore } from '../subject/build-before.ts';
import { startReplicas } from '../subject/start-replicas.ts';

const REPLICAS = 3;

/** Three servers of the version before, each in its turn ended and started as the new one, and back again; with --full once more forward. */
export const upgradeScenario: Scenario = {
  name: 'upgrade',
  title: 'three APIs of the version before the newest migration are upgraded one by one under load and rolled back',
  async run(context) {
    const prepared = await prepare(await context.scratch());
    if ('why' in prepared) {
      context.reportNotRun({ name: 'upgrade', why: prepared.why, bar: '0 lost, 0 twice, 0 refused' });
      return;
    }
    const before = prepared;
    context.log(`the version before is ${before.commit.slice(0, 8)}`);
    const versions = Array.from({ length: REPLICAS }, () => before.cli);
    const postgres = await openPostgres(context);
    const replicas = await startReplicas({
      ...{ home: await context.scratch(), databaseUrl: postgres.url, size: REPLICAS },
      cliOf: (index) => versions[index] ?? CLI,
    });
    context.defer(() => replicas.end());
    const rounds = context.full ? [CLI, before.cli, CLI] : [CLI, before.cli];
    const faults = rounds.flatMap((cli, round): Fault[] =>
      versions.map((_, index) => ({
        kind: 'stop',
        name: `server ${index} becomes ${cli === CLI ? 'new' : 'old'}, round ${round + 1}`,
        async strike() {
          versions[index] = cli;
          // Servers take turns, and this is theirs.
          await replicas.restart();
        },
      })),
    );
    const { native, plain, loads } = await startLoads(context, replicas.ports);
    const report = await strikeUnderLoad({
      ...{ subject: replicas, loads, acknowledgements: 30, stopsAtFault: false, faults },
      log: (text) => context.log(text),
    });
    await judgeLoads(context, {
      ...{ name: 'upgrade', native, plain, report, leaseSeconds: LEASE_SECONDS, databaseUrl: postgres.url },
      struck: `${report.stops} restarts as another version`,
      bar: `${faults.length} restarts as another version`,
      isStruck: report.stops >= faults.length,
    });
  },
};

async function prepare(folder: string): Promise<BuiltBefore | { why: string }> {
  const commit = await findBefore();
  if (commit === undefined) return { why: 'the history of this clone does not reach back to the version before' };
  return await buildBefore(commit, folder).catch((error: unknown) => ({
    why: `the version before could not be built here: ${String(error).slice(0, 200)}`,
  }));
}
