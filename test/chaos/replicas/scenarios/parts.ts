import { reportTimed, watchNeighbours } from '../../../kit/report-timed.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { strikeUnderLoad } from '../../trajectory-api/faults/strike-under-load.ts';
import { Outages } from '../faults/outages.ts';
import { planPartFaults } from '../faults/plan-part-faults.ts';
import { judgeLoads } from '../judge/judge-loads.ts';
import { LEASE_SECONDS, startLoads } from '../load/start-loads.ts';
import { startFleet, whyNoFleet } from '../subject/start-fleet.ts';

/** Of a push beyond the time that a part was away. */
const WORST_MS = 2_000;

const SHORT = { kills: 3, failovers: 1, rounds: 1 };
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
    const { native, plain, loads } = await startLoads(context, [fleet.haproxy.port]);
    const outages = new Outages();
    const faults = planPartFaults(fleet, outages, plan).map((fault) => ({
      ...fault,
      strike: () => outages.note(fault.name, () => fault.strike()),
    }));
    // Everything of the fleet is started by this process.
    const countForeign = watchNeighbours([process.pid]);
    const report = await strikeUnderLoad({
      ...{ subject: fleet.replicas, loads, faults, acknowledgements: 15, stopsAtFault: false },
      log: (text) => context.log(text),
    });
    const foreign = countForeign();
    await judgeLoads(context, {
      ...{ name: 'parts', native, plain, report, bar, leaseSeconds: LEASE_SECONDS },
      databaseUrl: fleet.pgbouncer.url,
      struck: `${report.kills} kills, ${report.stops} failovers and other parts`,
      isStruck: report.kills + report.stops === faults.length,
    });
    for (const { name, history } of loads) {
      const late = history.slowPushes.toSorted((left, right) => outages.beyond(right) - outages.beyond(left));
      for (const push of late.slice(0, 3)) {
        const ms = Math.round(push.to - push.from);
        context.log(`${name} push of ${ms} ms met ${outages.met(push).join(', ') || 'no fault'}`);
      }
    }
    const worst = loads.map(({ history }) => Math.max(0, ...history.slowPushes.map((push) => outages.beyond(push))));
    const [ofNative = 0, ofPlain = 0] = worst.map((ms) => Math.round(ms));
    const figure = `native ${ofNative}, plain ${ofPlain} ms beyond the failover; the longest failover ${Math.round(outages.longestMs)} ms`;
    const ok = Math.max(ofNative, ofPlain) <= WORST_MS;
    reportTimed(context, { name: 'parts, worst push', figure, bar: `≤ ${WORST_MS} ms beyond it`, ok }, foreign);
  },
};
