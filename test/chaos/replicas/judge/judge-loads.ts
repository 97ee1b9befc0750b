import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { StrikeReport } from '../../trajectory-api/faults/strike-under-load.ts';
import { drain } from '../../trajectory-api/judge/drain.ts';
import type { Load } from '../../trajectory-api/load/start-load.ts';
import { findFates, findTwins } from './find-fates.ts';

export interface JudgedLoads {
  /** What its lines begin with. */
  readonly name: string;
  readonly native: Load;
  readonly plain: Load;
  readonly report: StrikeReport;
  readonly leaseSeconds: number;
  /** What was done to the servers, and what had to be. */
  readonly struck: string;
  readonly bar: string;
  readonly isStruck: boolean;
  /** Where what was lost, or stored twice, is looked for. */
  readonly databaseUrl?: string;
}

/** Drains both loads and says what became of what their clients were promised. */
export async function judgeLoads(context: ScenarioContext, judged: JudgedLoads): Promise<void> {
  const { name, native, plain, report } = judged;
  const loads = [native, plain];
  // What was leased to nobody comes back when its lease is over.
  const standstillMs = judged.leaseSeconds * 2000;
  const [nativeLedger, plainLedger] = await Promise.all([
    drain(native, { standstillMs }),
    drain(plain, { standstillMs }),
  ]);
  for (const { name: run, history, client } of loads) {
    context.log(`${run} failures met by clients: ${JSON.stringify(Object.fromEntries(client.failures))}`);
    for (const surprise of history.surprises.slice(0, 5)) context.log(`${run} ${surprise}`);
  }

  for (const { name: run, history } of loads) {
    if (history.lost === 0 || judged.databaseUrl === undefined) continue;
    for (const line of await findFates(judged.databaseUrl, history.lostNumbers))
      context.log(`${run} never seen again, ${line}`);
  }

  const isAbove = plainLedger.produced > plain.history.acknowledged;
  if (isAbove && judged.databaseUrl !== undefined) {
    for (const line of await findTwins(judged.databaseUrl)) context.log(`stored more than once: ${line}`);
  }

  const lost = native.history.lost - nativeLedger.quarantined;
  context.report({
    name: `${name}, native`,
    figure: `${judged.struck}, ${native.history.acknowledged} acknowledged, ${lost} lost, ${native.history.twice} trained twice, ${native.history.refusedInTime} refused in time`,
    bar: `${judged.bar}, 0 lost, 0 twice, 0 refused`,
    ok: judged.isStruck && lost === 0 && native.history.twice === 0 && native.history.refusedInTime === 0,
  });
  context.report({
    name: `${name}, plain`,
    figure: `${plain.history.acknowledged} acknowledged, ${plain.history.lost} lost (${plainLedger.quarantined} in quarantine), ${plain.history.twice} delivered twice of ${report.exposed} in flight at the kills`,
    bar: '0 lost, twice ≤ in flight',
    ok: plain.history.lost === 0 && plain.history.twice <= report.exposed,
  });
  const books = [
    { load: native, ledger: nativeLedger },
    { load: plain, ledger: plainLedger },
  ];
  context.report({
    name: `${name}, ledger`,
    figure: [
      ...books.map(
        ({ load: { name: run, history }, ledger }) =>
          `${run} ${ledger.balanced ? 'balanced' : 'NOT balanced'}, produced ${ledger.produced} of ${history.acknowledged}`,
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
    name: `${name}, answers`,
    figure: `${hangs} hangs, ${surprises.length} unexpected answers${surprises.length === 0 ? '' : `, first: ${surprises[0]}`}`,
    bar: '0 hangs, 0 unexpected',
    ok: hangs === 0 && surprises.length === 0,
  });
}
