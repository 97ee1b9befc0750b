import { fileURLToPath } from 'node:url';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { planFaults } from '../faults/fault.ts';
import type { Fault } from '../faults/fault.ts';
import { strikeUnderLoad } from '../faults/strike-under-load.ts';
import { startNativeLoad } from '../load/start-load.ts';
import { startSubject } from '../subject/start-subject.ts';
import { openPostgres } from './open-postgres.ts';

interface Mutant {
  readonly name: string;
  /** Its serving module in `mutants/`. */
  readonly file: string;
  readonly database: 'sqlite' | 'postgres';
  /** Faults after which a harness that still found nothing is blind. */
  readonly most: number;
  readonly zombieShare?: number;
  readonly producers?: number;
  readonly longestStepMs?: number;
  /** New ones between two faults; 30 by default. */
  readonly acknowledgements?: number;
}

const MUTANTS: readonly Mutant[] = [
  { name: 'memory queue', file: 'memory-queue-process.ts', database: 'sqlite', most: 3 },
  // The more pushes are under way, the sooner one of them has been stored but not answered when the kill comes.
  { name: 'no idempotency key', file: 'no-idempotency-process.ts', database: 'sqlite', most: 16, producers: 32 },
  {
    ...{ name: 'no epoch', file: 'no-epoch-process.ts', database: 'sqlite', most: 10 },
    // A late ack does damage while somebody else holds the batch: many late ones, long holds, and a life long enough for both.
    ...{ zombieShare: 0.5, longestStepMs: 500, acknowledgements: 250 },
  },
  { name: 'synchronous_commit=off', file: 'no-synchronous-commit-process.ts', database: 'postgres', most: 6 },
  { name: 'ack before commit', file: 'early-answer-process.ts', database: 'sqlite', most: 6 },
];

/** The harness of the kills, pointed at servers with one part replaced: it must find each of them out. */
export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'servers with one safeguard taken out are each found out by the harness of the kills',
  async run(context) {
    // Two at a time: each spends much of its time waiting for leases to end and servers to start.
    const waiting = [...MUTANTS];
    const work = async (): Promise<void> => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
        await catchMutant(context, mutant);
    };
    await Promise.all([work(), work()]);
  },
};

async function catchMutant(context: ScenarioContext, mutant: Mutant): Promise<void> {
  const startedAt = performance.now();
  const postgres = mutant.database === 'postgres' ? await openPostgres(context) : undefined;
  const subject = await startSubject({
    port: await findQuietPort(),
    home: await context.scratch(),
    mutant: fileURLToPath(new URL(`../mutants/${mutant.file}`, import.meta.url)),
    ...(postgres === undefined ? {} : { databaseUrl: postgres.url }),
  });
  context.defer(() => subject.end());
  const load = await startNativeLoad({ ...mutant, port: subject.port });
  context.defer(() => load.abandon());
  const restart = async (): Promise<void> => postgres?.restart('immediate');
  const faults: Fault[] =
    postgres === undefined
      ? planFaults({ subject, kills: mutant.most, stops: 0 })
      : Array.from({ length: mutant.most }, () => ({ kind: 'stop', name: 'postgres', strike: restart }));
  const report = await strikeUnderLoad({
    subject,
    loads: [load],
    faults,
    acknowledgements: mutant.acknowledgements ?? 30,
    stopsAtFault: true,
  });
  load.abandon();
  await subject.end();

  const [fault] = report.faults;
  const struck = report.stops > 0 ? `${report.stops} Postgres stops` : `${report.kills} kills`;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  context.report({
    name: `mutant ${mutant.name}`,
    figure: fault === undefined ? `not caught by ${struck}` : `caught after ${struck} in ${seconds} s (${fault})`,
    bar: `caught within ${mutant.most}`,
    ok: fault !== undefined,
  });
}
