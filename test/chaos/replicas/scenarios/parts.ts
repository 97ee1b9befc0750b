import type { Scenario } from '../../../scenarios/scenario.ts';
import { strikeUnderLoad } from '../../trajectory-api/faults/strike-under-load.ts';
import { startNativeLoad, startPlainLoad } from '../../trajectory-api/load/start-load.ts';
import { Outages } from '../faults/outages.ts';
import { planPartFaults } from '../faults/plan-part-faults.ts';
import { judgeLoads } from '../judge/judge-loads.ts';
import { startFleet, whyNoFleet } from '../subject/start-fleet.ts';

/** Longer than any take-over and any outage: who is refused within it was refused wrongly. */
const LEASE_SECONDS = 12;
/** Of a push beyond the time that a part was away. */
const WORST_MS = 2_000;

const SHORT = { kills: 4, failovers: 1, rounds: 1 };
const FULL = { kills: 200, failovers: 10, rounds: 10 };

/** Three servers behind HAProxy, over PgBouncer, a PostgreSQL with a standby and an S3 server; each part is killed. */
export const partScenario: Scenario = {
  name: 'parts',
  title:
    'behind HAProxy, over PgBouncer, a PostgreSQL that fails over and an S3 server, each of them killed: nothing is lost, trained twice or refused wrongly',
  async run(context) {
    const plan = context.full ? FULL : SHORT;
    const bar = `${plan.kills} kills, ${plan.failovers} failovers, ${plan.rounds} × each other part`;
    const why = whyNoFleet();
    if (why !== undefined) return context.reportNotRun({ name: 'parts', why, bar });
    const fleet = await startFleet(context);
    const load = { port: fleet.haproxy.port, leaseSeconds: LEASE_SECONDS };
    const native = await startNativeLoad(load);
    const plain = await startPlainLoad(load);
    const loads = [native, plain];
    context.defer(() => loads.forEach((one) => one.abandon()));
    const outages = new Outages();
    const faults = planPartFaults(fleet, outages, plan).map((fault) => ({
      ...fault,
      async strike() {
        const at = performance.now();
        await fault.strike();
        context.log(
          `${new Date().toISOString().slice(14, 23)} ${fault.name}: ${Math.round(performance.now() - at)} ms`,
        );
      },
    }));
    const report = await strikeUnderLoad({
      ...{ subject: fleet.replicas, loads, faults, acknowledgements: 20, stopsAtFault: false },
      log: (text) => context.log(text),
    });
    await judgeLoads(context, {
      ...{ name: 'parts', native, plain, report, bar, leaseSeconds: LEASE_SECONDS },
      struck: `${report.kills} kills, ${plan.failovers} failovers, ${plan.rounds} × each other part`,
      isStruck: report.kills + report.stops === faults.length,
    });
    const worstOf = loads.map(({ history }) => Math.max(0, ...history.slowPushes.map((push) => outages.beyond(push))));
    const worst = Math.max(...worstOf);
    for (const load of loads)
      for (const push of load.history.slowPushes.toSorted((a, b) => b.to - b.from - a.to + a.from).slice(0, 6))
        context.log(
          `${load.name} DEBUG ${new Date(performance.timeOrigin + push.from).toISOString().slice(14, 23)} took ${Math.round(push.to - push.from)} beyond ${Math.round(outages.beyond(push))}`,
        );
    if (process.env['FLEET_LOGS'])
      (await import('node:fs')).writeFileSync(process.env['FLEET_LOGS'], fleet.replicas.logs());
    context.report({
      name: 'parts, worst push',
      figure: `native ${Math.round(worstOf[0] ?? 0)}, plain ${Math.round(worstOf[1] ?? 0)} ms beyond the failover; the longest failover ${Math.round(outages.longestMs)} ms`,
      bar: `≤ ${WORST_MS} ms beyond it`,
      ok: worst <= WORST_MS,
      onlyByClock: false,
    });
  },
};
