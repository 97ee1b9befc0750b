import { setTimeout as sleep } from 'node:timers/promises';

import { auditLedger } from '../judge/audit-ledger.ts';
import { GROUPS_PER_BATCH } from '../load/load-control.ts';
import type { Load } from '../load/start-load.ts';
import type { Subject } from '../subject/start-subject.ts';
import type { Fault } from './fault.ts';

export interface StrikeOptions {
  readonly subject: Subject;
  readonly loads: readonly Load[];
  readonly faults: readonly Fault[];
  /** New acknowledgements that each load must see before the next fault. */
  readonly acknowledgements: number;
  /** Ends the run at the first audit that finds something wrong. */
  readonly stopsAtFault: boolean;
  readonly log?: (text: string) => void;
}

export interface StrikeReport {
  kills: number;
  stops: number;
  /** Groups that were in replies under way when a fault struck: so many may come twice to a plain consumer. */
  exposed: number;
  /** What the audits between the faults found. */
  readonly faults: string[];
}

/** A server that acknowledges nothing for this long has not come back. */
const RECOVERY_MS = 60_000;
/** Every second fault waits up to this long more, so that they meet other moments than an acknowledgement. */
const LATER_MS = 40;

const AUDIT_EVERY_MS = 300;

/** Strikes again and again, each time after enough new acknowledgements, and audits the ledgers in between. */
export async function strikeUnderLoad(options: StrikeOptions): Promise<StrikeReport> {
  const { loads, faults, log } = options;
  const report: StrikeReport = { kills: 0, stops: 0, exposed: 0, faults: [] };
  for (const [index, fault] of faults.entries()) {
    const audits = await withinRecovery(options, () => auditWhileAcknowledging(options));
    noteFaults(report, audits, index === 0 ? 'the start' : `fault ${index} (${faults[index - 1]?.name})`);
    if (audits.length > 0 && options.stopsAtFault) return report;
    if (index % 2 === 1) await sleep(Math.random() * LATER_MS);
    report.exposed += loads.reduce((sum, { history }) => sum + history.batchesInFlight, 0) * GROUPS_PER_BATCH;
    await fault.strike();
    if (fault.kind === 'kill') report.kills += 1;
    else report.stops += 1;
    if (index % 10 === 9) {
      const counts = loads.map(({ name, history }) => `${name} ${history.acknowledged}`).join(', ');
      log?.(`${index + 1} of ${faults.length} faults, acknowledged: ${counts}`);
    }
  }
  noteFaults(
    report,
    await withinRecovery(options, () => auditAll(loads)),
    `fault ${faults.length} (${faults.at(-1)?.name})`,
  );
  return report;
}

/** What is wrong stays wrong, so each finding is noted once, with the fault before it. */
function noteFaults(report: StrikeReport, audits: readonly string[], after: string): void {
  for (const audit of audits) {
    if (!report.faults.some((known) => known.startsWith(audit))) report.faults.push(`${audit} since ${after}`);
  }
}

async function auditAll(loads: readonly Load[]): Promise<string[]> {
  return (await Promise.all(loads.map((load) => auditLedger(load)))).flat();
}

/** The audits run beside the load, and the fault strikes at an acknowledgement: its neighbours are still on their way. */
async function auditWhileAcknowledging(options: StrikeOptions): Promise<string[]> {
  const { loads, acknowledgements, stopsAtFault } = options;
  const goals = loads.map(({ history }) => history.waitForAcknowledged(history.acknowledged + acknowledgements));
  const goal = Promise.all(goals).then(() => 'reached' as const);
  let audits: string[];
  do {
    audits = await auditAll(loads);
    if (stopsAtFault && audits.length > 0) return audits;
  } while ((await Promise.race([goal, sleep(AUDIT_EVERY_MS)])) !== 'reached');
  // One more, because the audit may have taken longer than the acknowledgements.
  await Promise.race(loads.map(({ history }) => history.waitForAcknowledged(history.acknowledged + 1)));
  return audits;
}

async function withinRecovery<T>({ subject }: StrikeOptions, work: () => Promise<T>): Promise<T> {
  const timer = new AbortController();
  const expired = sleep(RECOVERY_MS, undefined, { signal: timer.signal }).then(() => {
    const state = subject.isRunning() ? 'runs' : 'has ended';
    throw new Error(`nothing was acknowledged for ${RECOVERY_MS} ms; the server ${state}:\n${subject.logs()}`);
  });
  try {
    return await Promise.race([work(), expired]);
  } finally {
    timer.abort();
    expired.catch(() => undefined);
  }
}
