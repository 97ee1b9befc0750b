import type { Ledger } from '@lachesis/protocol';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { planFaults } from '../faults/fault.ts';
import { strikeUnderLoad } from '../faults/strike-under-load.ts';
import type { StrikeReport } from '../faults/strike-under-load.ts';
import { drain } from '../judge/drain.ts';
import { startNativeLoad, startPlainLoad } from '../load/start-load.ts';
import type { Load } from '../load/start-load.ts';
import { startSubject } from '../subject/start-subject.ts';
import { openPostgres } from './open-postgres.ts';

type DatabaseName = 'sqlite' | 'postgres';

interface Plan {
  readonly kills: number;
  readonly stops: number;
  /** New acknowledgements on each API between two faults. */
  readonly acknowledgements: number;
  /** Acknowledged groups that both APIs together must reach. */
  readonly least: number;
}

/**
 * 8 producers and 3 consumers at each API; see `planFaults` for what is killed. Both databases at once: most of the time
 * goes into starting the server again, which keeps one core busy.
 */
export const killScenario: Scenario = {
  name: 'kills',
  title:
    'kill -9 of the server and hard stops of Postgres under load: nothing acknowledged is lost, nothing is trained twice',
  async run(context) {
    const databases: DatabaseName[] = ['sqlite', 'postgres'];
    await Promise.all(databases.map((database) => runKills(context, database, planFor(database, context.full))));
  },
};

function planFor(database: DatabaseName, full: boolean): Plan {
  const stops = database === 'sqlite' ? 0 : full ? 20 : 5;
  return full
    ? { kills: 200, stops, acknowledgements: 50, least: 20_000 }
    : { kills: 40, stops, acknowledgements: 30, least: 2_400 };
}

async function runKills(context: ScenarioContext, database: DatabaseName, plan: Plan): Promise<void> {
  const postgres = database === 'postgres' ? await openPostgres(context) : undefined;
  const subject = await startSubject({
    port: await findQuietPort(),
    home: await context.scratch(),
    ...(postgres === undefined ? {} : { databaseUrl: postgres.url }),
  });
  context.defer(() => subject.end());

  const native = await startNativeLoad({ port: subject.port });
  const plain = await startPlainLoad({ port: subject.port });
  const loads = [native, plain];
  context.defer(() => loads.forEach((load) => load.abandon()));
  const report = await strikeUnderLoad({
    subject,
    loads,
    faults: planFaults({ subject, ...plan, ...(postgres === undefined ? {} : { postgres }) }),
    acknowledgements: plan.acknowledgements,
    stopsAtFault: false,
    log: (text) => context.log(`${database}: ${text}`),
  });
  const [nativeLedger, plainLedger] = await Promise.all([drain(native), drain(plain)]);
  for (const { name, history, client } of loads) {
    context.log(`${database} ${name} failures met by clients: ${JSON.stringify(Object.fromEntries(client.failures))}`);
    for (const surprise of history.surprises.slice(0, 5)) context.log(`${database} ${name} ${surprise}`);
  }
  reportVerdict(context, { database, plan, report, native, plain, nativeLedger, plainLedger });
}

function reportVerdict(
  context: ScenarioContext,
  run: {
    database: DatabaseName;
    plan: Plan;
    report: StrikeReport;
    native: Load;
    plain: Load;
    nativeLedger: Ledger;
    plainLedger: Ledger;
  },
): void {
  const { database, plan, report, native, plain, nativeLedger, plainLedger } = run;
  const struck = describeStrikes(report.kills, report.stops);
  const struckBar = describeStrikes(plan.kills, plan.stops);
  const isStruck = report.kills >= plan.kills && report.stops >= plan.stops;
  const surprises = [native, plain].flatMap(({ history }) => history.surprises);
  const hangs = native.client.hangs + plain.client.hangs;

  // A group whose lease ended five times is set aside on purpose; the ledger has it and the line says so.
  const nativeLost = native.history.lost - nativeLedger.quarantined;
  context.report({
    name: `${database} kills, native`,
    figure: `${struck}, ${count(native.history.acknowledged)} acknowledged, ${nativeLost} lost, ${native.history.twice} trained twice`,
    bar: `${struckBar}, 0 lost, 0 twice`,
    ok: isStruck && nativeLost === 0 && native.history.twice === 0,
  });
  context.report({
    name: `${database} late acks`,
    figure: `${native.history.lateAcks - native.history.lateAcksAccepted} of ${native.history.lateAcks} refused`,
    bar: 'all refused, at least 1',
    ok: native.history.lateAcks > 0 && native.history.lateAcksAccepted === 0,
  });
  context.report({
    name: `${database} kills, plain`,
    figure: `${struck}, ${count(plain.history.acknowledged)} acknowledged, ${plain.history.lost} lost, ${plain.history.twice} delivered twice of ${report.exposed} in flight at the kills`,
    bar: `${struckBar}, 0 lost, twice ≤ in flight`,
    ok: isStruck && plain.history.lost === 0 && plain.history.twice <= report.exposed,
  });
  const books = [describeBooks(native, nativeLedger), describeBooks(plain, plainLedger)];
  context.report({
    name: `${database} ledger`,
    figure: [...books.map(({ text }) => text), ...report.faults.slice(0, 3)].join('; '),
    bar: 'balanced, produced = acknowledged',
    ok: books.every(({ ok }) => ok) && report.faults.length === 0,
  });
  const total = native.history.acknowledged + plain.history.acknowledged;
  context.report({
    name: `${database} answers`,
    figure: `${count(total)} acknowledged, ${hangs} hangs, ${surprises.length} unexpected answers${surprises.length === 0 ? '' : `, first: ${surprises[0]}`}`,
    bar: `≥ ${count(plan.least)} acknowledged, 0 hangs, 0 unexpected`,
    ok: total >= plan.least && hangs === 0 && surprises.length === 0,
  });
}

function describeBooks({ name, history }: Load, ledger: Ledger): { text: string; ok: boolean } {
  const { produced, balanced, trained, delivered_unconfirmed: delivered, quarantined } = ledger;
  const left = produced - trained - delivered - quarantined;
  return {
    text: `${name} ${balanced ? 'balanced' : 'NOT balanced'}, produced ${count(produced)} of ${count(history.acknowledged)} acknowledged, ${quarantined} quarantined, ${left} left`,
    ok: balanced && produced === history.acknowledged && left === 0,
  };
}

function describeStrikes(kills: number, stops: number): string {
  return stops === 0 ? `${kills} kills` : `${kills} kills + ${stops} Postgres stops`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
