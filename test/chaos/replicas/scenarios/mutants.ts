import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { startNativeLoad } from '../../trajectory-api/load/start-load.ts';
import { openPostgres } from '../../trajectory-api/scenarios/open-postgres.ts';
import { stealRun } from '../steal-run.ts';
import { startReplicas } from '../subject/start-replicas.ts';

const LOOK_MS = 50;
const LONGEST_MS = 60_000;

/** Servers with one safeguard taken out are each found out. */
export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'servers that answer from memory, or own a run without an epoch, are each found out',
  async run(context) {
    await catchMemory(context);
    await catchOldEpoch(context);
  },
};

/** Two of the three know nothing of what the third wrote: valid acks are refused, and trainers wait for groups that are there. */
async function catchMemory(context: ScenarioContext): Promise<void> {
  const postgres = await openPostgres(context);
  const replicas = await startReplicas({
    ...{ home: await context.scratch(), databaseUrl: postgres.url, owned: false },
    mutant: fileURLToPath(new URL('../mutants/answers-from-memory-process.ts', import.meta.url)),
  });
  context.defer(() => replicas.end());
  const [port = 0, ...otherPorts] = replicas.ports;
  const load = await startNativeLoad({ port, otherPorts, leaseSeconds: 30, zombieShare: 0 });
  context.defer(() => load.abandon());
  const until = performance.now() + LONGEST_MS;
  while (load.history.refusedInTime === 0 && performance.now() < until) await sleep(LOOK_MS);
  load.abandon();
  await replicas.end();
  const { refusedInTime, acknowledged } = load.history;
  context.report({
    name: 'mutant answers from memory',
    figure: refusedInTime > 0 ? `caught after ${acknowledged} pushes: a valid ack was refused` : 'not caught',
    bar: 'caught',
    ok: refusedInTime > 0,
  });
}

async function catchOldEpoch(context: ScenarioContext): Promise<void> {
  const postgres = await openPostgres(context);
  const place = { databaseUrl: postgres.url, home: await context.scratch() };
  const real = await stealRun(place);
  const mutant = await stealRun({
    ...place,
    replace: { persistence: (parts) => ({ ...parts, commit: (state, changes) => parts.commit(state, changes) }) },
  });
  context.report({
    name: 'owner whose epoch is over',
    figure: `${real.rows} rows written, answered ${real.status}`,
    bar: '0 rows, 503',
    ok: real.rows === 0 && real.status === 503,
  });
  context.report({
    name: 'mutant owner without epoch',
    figure: mutant.rows > 0 ? 'caught: it wrote although another owned the run' : 'not caught',
    bar: 'caught',
    ok: mutant.rows > 0,
  });
}
