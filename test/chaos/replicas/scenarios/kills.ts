import type { Scenario } from '../../../scenarios/scenario.ts';
import { strikeUnderLoad } from '../../trajectory-api/faults/strike-under-load.ts';
import { planFaults } from '../../trajectory-api/faults/fault.ts';
import { drain } from '../../trajectory-api/judge/drain.ts';
import { startNativeLoad, startPlainLoad } from '../../trajectory-api/load/start-load.ts';
import { openPostgres } from '../../trajectory-api/scenarios/open-postgres.ts';
import { startReplicas } from '../subject/start-replicas.ts';

/** Longer than any take-over: who is refused within it was refused wrongly. */
const LEASE_SECONDS = 12;

/** Three servers, every attempt of a client at the next one; each in its turn is killed, the child alone or the whole tree. */
export const killScenario: Scenario = {
  name: 'kills',
  title: 'three APIs over one PostgreSQL, called in turn and killed: nothing is lost, trained twice or refused wrongly',
  async run(context) {
    const plan = context.full ? { kills: 200, stops: 10 } : { kills: 6, stops: 1 };
    const postgres = await openPostgres(context);
    const replicas = await startReplicas({ home: await context.scratch(), databaseUrl: postgres.url });
    context.defer(() => replicas.end());
    const [port = 0, ...otherPorts] = replicas.ports;
    const load = { port, otherPorts, leaseSeconds: LEASE_SECONDS };
    const native = await startNativeLoad(load);
    const plain = await startPlainLoad(load);
    const loads = [native, plain];
    context.defer(() => loads.forEach((one) => one.abandon()));
    const report = await strikeUnderLoad({
      ...{ subject: replicas, loads, acknowledgements: 30, stopsAtFault: false },
      faults: planFaults({ subject: replicas, ...plan, postgres }),
      log: (text) => context.log(text),
    });
    // What was leased to nobody comes back when its lease is over.
    const standstillMs = LEASE_SECONDS * 2000;
    const [nativeLedger, plainLedger] = await Promise.all([
      drain(native, { standstillMs }),
      drain(plain, { standstillMs }),
    ]);
    for (const { name, history, client } of loads) {
      context.log(`${name} failures met by clients: ${JSON.stringify(Object.fromEntries(client.failures))}`);
      for (const surprise of history.surprises.slice(0, 5)) context.log(`${name} ${surprise}`);
    }

    const struck = `${report.kills} kills + ${report.stops} Postgres stops`;
    const lost = native.history.lost - nativeLedger.quarantined;
    context.report({
      name: 'replicas, native',
      figure: `${struck}, ${native.history.acknowledged} acknowledged, ${lost} lost, ${native.history.twice} trained twice, ${native.history.refusedInTime} refused in time`,
      bar: `${plan.kills} kills + ${plan.stops} Postgres stops, 0 lost, 0 twice, 0 refused`,
      ok: report.kills >= plan.kills && lost === 0 && native.history.twice === 0 && native.history.refusedInTime === 0,
    });
    context.report({
      name: 'replicas, plain',
      figure: `${plain.history.acknowledged} acknowledged, ${plain.history.lost} lost, ${plain.history.twice} delivered twice of ${report.exposed} in flight at the kills`,
      bar: '0 lost, twice ≤ in flight',
      ok: plain.history.lost === 0 && plain.history.twice <= report.exposed,
    });
    const books = [
      { load: native, ledger: nativeLedger },
      { load: plain, ledger: plainLedger },
    ];
    context.report({
      name: 'replicas, ledger',
      figure: [
        ...books.map(
          ({ load: { name, history }, ledger }) =>
            `${name} ${ledger.balanced ? 'balanced' : 'NOT balanced'}, produced ${ledger.produced} of ${history.acknowledged}`,
        ),
        ...report.faults.slice(0, 3),
      ].join('; '),
      bar: 'balanced, produced = acknowledged',
      ok:
        books.every(({ load: { history }, ledger }) => ledger.balanced && ledger.produced === history.acknowledged) &&
        report.faults.length === 0,
    });
    const hangs = native.client.hangs + plain.client.hangs;
    const surprises = loads.flatMap(({ history }) => history.surprises);
    context.report({
      name: 'replicas, answers',
      figure: `${hangs} hangs, ${surprises.length} unexpected answers${surprises.length === 0 ? '' : `, first: ${surprises[0]}`}`,
      bar: '0 hangs, 0 unexpected',
      ok: hangs === 0 && surprises.length === 0,
    });
  },
};
