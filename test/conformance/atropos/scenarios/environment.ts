import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { RunningProcess } from '../../../kit/start-process.ts';
import { readEnvironmentFacts, startEnvironment } from '../../../peers/atropos/start-environment.ts';
import { startFakeInference } from '../../../peers/atropos/start-fake-inference.ts';
import { followBatches, readDeliveredBatches } from '../../../peers/atropos/start-trainer.ts';
import type { DeliveredBatch } from '../../../peers/atropos/start-trainer.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { callJson } from '../call.ts';
import { countFates } from '../count-fates.ts';
import type { Fates } from '../count-fates.ts';
import { verifies } from '../requirements.ts';
import { own, startSubject } from '../subject.ts';
import type { Subject } from '../subject.ts';
import { waitFor } from '../wait-for.ts';
import { watchSteps } from '../watch-steps.ts';

const GROUP_SIZE = 4;
const BATCH_SIZE = 8;
/** Before the first kill and between kills, so that each kill meets a run in full swing. */
const BATCHES_BETWEEN_KILLS = 8;

export const environmentScenario: Scenario = {
  name: 'environment',
  title: 'unmodified BaseEnv environments in serve mode and the example trainer, through four kill -9 of the server',
  async run(context) {
    verifies(
      'serve-mode',
      'managed-server',
      'survives-kill',
      'keeps-acknowledged',
      'wandb-info',
      'status-env',
      'env-id-optional',
    );
    const subject = await startSubject({ context });
    const run = await startRun(context, subject);
    await waitForBatches(run, BATCHES_BETWEEN_KILLS);
    const steps = watchSteps(subject.url);
    context.defer(async () => {
      await steps.stop();
    });
    const rounds = subject.killChild === undefined ? [] : [1, 3];
    const outages: number[] = [];
    for (const [round, kills] of rounds.entries()) {
      for (let kill = 0; kill < kills; kill += 1) {
        const before = (await readDeliveredBatches(run.batchesPath)).length;
        outages.push((await subject.killChild?.()) ?? 0);
        await waitForBatches(run, before + BATCHES_BETWEEN_KILLS);
      }
      context.log(
        `round ${round + 1}: ${kills} kills, healthy again after ${outages.slice(-kills).map(Math.round).join(', ')} ms`,
      );
    }
    const survivors = run.peers.filter((peer) => peer.isRunning()).length;
    const { fates, batches, registrations } = await settle(context, run);
    const watched = await steps.stop();
    reportFlow(context, { batches, registrations, fates });
    if (rounds.length === 0) return;
    const { last, steppedBack, hanging } = watched;
    context.report({
      name: 'environment survives kills',
      figure: `${outages.length} kills: ${survivors} of ${run.peers.length} peers alive, ${registrations} registrations, step ${last} went back ${steppedBack} times, ${hanging} requests left hanging, slowest recovery ${Math.round(Math.max(...outages))} ms`,
      bar: '4 kills: all alive, 2 registrations, step never back, none hanging',
      ok: outages.length === 4 && survivors === run.peers.length && registrations === 2 && steppedBack + hanging === 0,
    });
    context.report({
      name: 'environment loses nothing',
      figure: `${fates.acknowledged} acknowledged, ${fates.lost} lost, ${fates.duplicated} delivered twice, ${fates.dropped} dropped by BaseEnv`,
      // A batch whose reply was cut by the kill comes again: at most one is in flight, with two groups.
      bar: `0 lost, 0 dropped, ≤ ${outages.length * (BATCH_SIZE / GROUP_SIZE)} twice`,
      ok: fates.lost === 0 && fates.dropped === 0 && fates.duplicated <= outages.length * (BATCH_SIZE / GROUP_SIZE),
    });
  },
};

interface Run {
  readonly url: string;
  readonly server: RunningProcess;
  readonly recordPaths: readonly string[];
  readonly batchesPath: string;
  readonly environments: readonly RunningProcess[];
  readonly peers: readonly RunningProcess[];
}

/** A trainer, an environment that computes its groups and one that asks an inference server. */
async function startRun(context: ScenarioContext, { url, process: server }: Subject): Promise<Run> {
  const cwd = await context.scratch();
  const recordPaths = [join(cwd, 'computed.jsonl'), join(cwd, 'asked.jsonl')] as const;
  const batchesPath = join(cwd, 'batches.jsonl');
  const inference = own(context, await startFakeInference());
  const trainer = own(context, await followBatches({ url, batchSize: BATCH_SIZE, cwd, recordPath: batchesPath }));
  await waitForRegistration(url, trainer);
  const common = { url, cwd, groupSize: GROUP_SIZE };
  const computed = own(context, await startEnvironment({ ...common, recordPath: recordPaths[0] }));
  // The ids are given in order of registration, and the counts below go by id.
  await waitFor({
    what: 'the first environment to register',
    timeoutMs: 20_000,
    until: async () => (await readEnvironmentFacts(recordPaths[0])).registrations.length > 0,
    evidence: () => computed.logs(),
  });
  const asked = own(
    context,
    await startEnvironment({ ...common, recordPath: recordPaths[1], inferenceUrl: inference.url }),
  );
  return { url, server, recordPaths, batchesPath, environments: [computed, asked], peers: [trainer, computed, asked] };
}

async function waitForRegistration(url: string, trainer: RunningProcess): Promise<void> {
  await waitFor({
    what: 'the trainer to register',
    timeoutMs: 20_000,
    until: async () => (await callJson<{ batch_size: number }>(url, 'GET', '/info')).batch_size === BATCH_SIZE,
    evidence: () => trainer.logs(),
  });
}

/** Until so many batches were delivered in all, some of them from each environment. */
async function waitForBatches(run: Run, count: number): Promise<void> {
  await waitFor({
    what: `${count} batches`,
    timeoutMs: 30_000,
    until: async () => {
      const batches = await readDeliveredBatches(run.batchesPath);
      const sources = new Set(batches.flatMap(({ groups }) => groups.map((group) => group.env_id)));
      return batches.length >= count && sources.has(0) && sources.has(1);
    },
    evidence: () => [...run.peers, run.server].map(describeProcess).join('\n'),
  });
}

function describeProcess(peer: RunningProcess): string {
  return `${peer.name} (${peer.isRunning() ? 'alive' : 'ended'}): ${peer.logs().slice(-1_500)}`;
}

interface Settled {
  readonly fates: Fates;
  readonly batches: readonly DeliveredBatch[];
  readonly registrations: number;
}

/** Ends the environments, lets the trainer take what is left, and counts. */
async function settle(context: ScenarioContext, run: Run): Promise<Settled> {
  await Promise.all(run.environments.map((environment) => environment.stop({ graceMs: 1_000 })));
  const facts = await Promise.all(run.recordPaths.map(readEnvironmentFacts));
  let batches = await readDeliveredBatches(run.batchesPath);
  // A last group may wait for a partner to fill its batch; fillers are that partner and carry no number.
  for (let filler = 0; filler < 4; filler += 1) {
    batches = await drain(run, batches.length);
    if (countFates({ facts, batches }).lost === 0) break;
    context.log('a group waits for a full batch; sending a filler');
    await callJson(run.url, 'POST', '/scored_data', makeFiller());
  }
  return {
    fates: countFates({ facts, batches }),
    batches,
    registrations: facts.flatMap((fact) => fact.registrations).length,
  };
}

/** Waits until no batch has come for a while: the trainer asks twenty times a second. */
async function drain(run: Run, known: number): Promise<DeliveredBatch[]> {
  for (let count = known; ;) {
    await sleep(600);
    const batches = await readDeliveredBatches(run.batchesPath);
    if (batches.length === count) return batches;
    count = batches.length;
  }
}

function makeFiller(): unknown {
  const rows = Array.from({ length: GROUP_SIZE }, () => [1, 2]);
  return { tokens: rows, masks: rows, scores: rows.map(() => 0), inference_logprobs: rows };
}

function reportFlow(context: ScenarioContext, { batches, registrations, fates }: Settled): void {
  const groups = batches.flatMap((batch) => batch.groups);
  const whole = batches.every((batch) => batch.groups.reduce((sum, group) => sum + group.sequences, 0) === BATCH_SIZE);
  const intact = groups.every(
    (group) => group.keys === 14 && group.floats && (group.env_id !== 0 || group.first_token === group.number),
  );
  context.report({
    name: 'environment serve mode',
    figure: `${registrations} environments registered, ${fates.acknowledged} groups arrived, ${batches.length} batches left, ${whole ? 'all whole' : 'some not whole'}, ${intact ? 'all intact' : 'some damaged'}`,
    bar: `2 environments, ≥ ${BATCHES_BETWEEN_KILLS} batches, whole and intact`,
    ok: registrations === 2 && batches.length >= BATCHES_BETWEEN_KILLS && whole && intact,
  });
}
