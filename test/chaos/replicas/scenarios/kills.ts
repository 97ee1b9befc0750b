import type { Scenario } from '../../../scenarios/scenario.ts';
import { strikeUnderLoad } from '../../trajectory-api/faults/strike-under-load.ts';
import { planFaults } from '../../trajectory-api/faults/fault.ts';
import { openPostgres } from '../../trajectory-api/scenarios/open-postgres.ts';
import { judgeLoads } from '../judge/judge-loads.ts';
import { LEASE_SECONDS, startLoads } from '../load/start-loads.ts';
import { startReplicas } from '../subject/start-replicas.ts';

/** Three servers, every attempt of a client at the next one; each in its turn is killed, the child alone or the whole tree. */
export const killScenario: Scenario = {
  name: 'kills',
  title: 'three APIs over one PostgreSQL, called in turn and killed: nothing is lost, trained twice or refused wrongly',
  async run(context) {
    const plan = context.full ? { kills: 200, stops: 10 } : { kills: 6, stops: 1 };
    const postgres = await openPostgres(context);
    const replicas = await startReplicas({ home: await context.scratch(), databaseUrl: postgres.url });
    context.defer(() => replicas.end());
    const { native, plain, loads } = await startLoads(context, replicas.ports);
    const report = await strikeUnderLoad({
      ...{ subject: replicas, loads, acknowledgements: 30, stopsAtFault: false },
      faults: planFaults({ subject: replicas, ...plan, postgres }),
      log: (text) => context.log(text),
    });
    await judgeLoads(context, {
      ...{ name: 'replicas', native, plain, report, leaseSeconds: LEASE_SECONDS, databaseUrl: postgres.url },
      struck: `${report.kills} kills + ${report.stops} Postgres stops`,
      bar: `${plan.kills} kills + ${plan.stops} Postgres stops`,
      isStruck: report.kills >= plan.kills,
    });
  },
};
