import type { WhyReply } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { chooseSlice } from '../../kit/choose-slice.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { createBlindWhy } from './blind-why.ts';
import { startEngineRelay } from './start-engine-relay.ts';
import { startWhyControl } from './start-why-control.ts';
import { waitForCause } from './wait-for-cause.ts';

const WITHIN_SECONDS = 60;
const START_MS = 120_000;
/** Does not divide the batch of 16, and is small enough to be rolled out. */
const UNFIT_GROUP = 6;

const ENDED: ReadonlySet<string> = new Set(['failed', 'stopped']);

/** `pnpm e2e why`: five stalls of a real run on the real engine, each named by the control server. */
export const scenarios: Scenario[] = [
  {
    name: 'stalls',
    title: 'engine down, inference 429, verifier hang, groups that cannot pack, no trainer: each is named within 60 s',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const relay = await startEngineRelay(engine.url);
      context.defer(() => relay.end());
      const home = await context.scratch();
      const hangFile = join(home, 'hang');
      const control = await startWhyControl({ engineUrl: relay.url, home, hangFile });
      context.defer(async () => void (await control.process.stop({ graceMs: 20_000 })));
      const { client } = control;
      await client.selectEnvironment('vowels');

      const first = await startRun(context, client);
      await reportCause(context, client, { runId: first, cause: 'none', stall: 'no stall' });
      await relay.setMode('busy');
      const refusal = await reportCause(context, client, {
        runId: first,
        cause: 'inference-refuses',
        stall: 'inference 429',
      });
      context.log(`${relay.refused} samples were refused; lag ${JSON.stringify(refusal.event_loop_lag)}`);
      await relay.setMode('pass');
      await reportCause(context, client, { runId: first, cause: 'none', stall: 'inference answers again' });

      await signalRole(client, first, 'trainer', 'SIGSTOP');
      context.defer(() => signalRole(client, first, 'trainer', 'SIGCONT'));
      await reportCause(context, client, { runId: first, cause: 'no-trainer', stall: 'no trainer' });
      await signalRole(client, first, 'trainer', 'SIGCONT');
      await reportCause(context, client, { runId: first, cause: 'none', stall: 'the trainer answers again' });

      await relay.setMode('down');
      await reportCause(context, client, { runId: first, cause: 'engine-down', stall: 'engine down' });
      const blind = createBlindWhy(relay.url);
      const mutant = await waitForCause({
        ask: async () => await blind(await client.readRun(first)),
        ...{ cause: 'engine-down', withinSeconds: 5 },
      });
      context.report({
        name: 'mutant that never asks the engine',
        figure: `says ${mutant.reply.cause}`,
        bar: 'caught: not engine-down',
        ok: !mutant.isNamed,
      });
      await relay.setMode('pass');
      await stopRun(client, first);

      // Each is a run of its own; the short form has time for the one that the commit chooses.
      const others = [showHangingVerifier, showUnfitGroups];
      for (const show of context.full ? others : chooseSlice(others, 1)) await show(context, client, hangFile);
    },
  },
];

async function showHangingVerifier(context: ScenarioContext, client: ControlClient, hangFile: string): Promise<void> {
  const runId = await startRun(context, client);
  await writeFile(hangFile, '');
  await reportCause(context, client, { runId, cause: 'verifier-hangs', stall: 'verifier hang' });
  await rm(hangFile);
  await stopRun(client, runId);
}

async function showUnfitGroups(context: ScenarioContext, client: ControlClient): Promise<void> {
  await client.editConfig({ field: 'group_size', value: UNFIT_GROUP });
  const runId = await startRun(context, client, { isMoving: false });
  await reportCause(context, client, { runId, cause: 'groups-cannot-pack', stall: 'group size' });
  await stopRun(client, runId);
}

/** Resolves when the run has made a step, or has come up where no step can be made. */
async function startRun(context: ScenarioContext, client: ControlClient, { isMoving = true } = {}): Promise<string> {
  const { run_id: runId } = await client.startRun();
  // It outlives its control server: the run of a show that throws has to go with the show.
  context.defer(async () => {
    if (!ENDED.has((await client.readRun(runId)).status)) await stopRun(client, runId);
  });
  const until = performance.now() + START_MS;
  for (;;) {
    const { status, reason, metrics } = await client.readRun(runId);
    if (status === 'running' && (!isMoving || metrics.step > 0)) return runId;
    if (ENDED.has(status)) throw new Error(`run ${runId} is ${status}: ${reason}`);
    if (performance.now() > until) throw new Error(`run ${runId} is ${status} at step ${metrics.step}: ${reason}`);
    context.log(`${runId} ${status}, step ${metrics.step}`);
    await sleep(1_000);
  }
}

async function stopRun(client: ControlClient, runId: string): Promise<void> {
  await client.stopRun(runId);
  const until = performance.now() + 30_000;
  while ((await client.readRun(runId)).status !== 'stopped') {
    if (performance.now() > until) throw new Error(`run ${runId} does not stop`);
    await sleep(500);
  }
}

async function reportCause(
  context: ScenarioContext,
  client: ControlClient,
  { runId, cause, stall }: { runId: string; cause: WhyReply['cause']; stall: string },
): Promise<WhyReply> {
  const ask = (): Promise<WhyReply> => client.explainRun(runId);
  const { reply, seconds, isNamed } = await waitForCause({ ask, cause, withinSeconds: WITHIN_SECONDS });
  context.log(`${reply.message} ${JSON.stringify(reply.waits)}`);
  context.report({
    name: stall,
    figure: `${reply.cause} after ${seconds.toFixed(1)} s: ${reply.message}`,
    bar: `${cause} within ${WITHIN_SECONDS} s`,
    ok: isNamed,
  });
  return reply;
}

/** The group of its process: a station is a parent that keeps the socket and a child that serves. */
async function signalRole(client: ControlClient, runId: string, role: string, signal: NodeJS.Signals): Promise<void> {
  const { process_details: processes } = await client.readRun(runId);
  const pid = processes.find((each) => each.role === role)?.pid;
  if (pid !== undefined && pid !== null) process.kill(-pid, signal);
}
