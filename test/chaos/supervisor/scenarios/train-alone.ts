import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../kit/find-free-port.ts';
import { startProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { countProcesses, killAll } from '../judge/count-processes.ts';
import { waitUntil } from '../judge/wait-until.ts';
import { COMPILED } from '../subject/start-subject.ts';
import type { TrainPlan } from '../subject/train-process.ts';

const MOST_MS = 15_000;
/** Two of a station that is served, the environment, and the one who started them. */
const PROCESSES = 6;
const MAIN = fileURLToPath(new URL('../subject/train-process.ts', import.meta.url));

export const trainAloneScenario: Scenario = {
  name: 'train-alone',
  title: 'kill -9 of a training in the foreground: its stations notice, and nothing runs after 15 seconds',
  async run(context) {
    const left = await killStarter(context, { patienceMs: MOST_MS });
    context.report({
      name: 'stations of a training that was killed',
      figure: left.ms === undefined ? `${left.count} left` : `none after ${(left.ms / 1000).toFixed(1)} s`,
      bar: 'none after 15 s',
      ok: left.ms !== undefined,
    });
  },
};

/** How long it took until nothing was left; without that, how many were left at the end. */
export async function killStarter(
  context: ScenarioContext,
  { preload, patienceMs }: Pick<TrainPlan, 'preload'> & { patienceMs: number },
): Promise<{ ms?: number; count: number }> {
  const home = await context.scratch();
  const plan: TrainPlan = {
    ...{ home, preload, run: randomBytes(4).toString('hex') },
    ...{ apiPort: await findFreePort(), trainerPort: await findFreePort() },
    environmentConfig: join(home, 'environment.yaml'),
  };
  await writeFile(
    plan.environmentConfig,
    `env:\n  rollout_server_url: http://127.0.0.1:${plan.apiPort}/run/${plan.run}\nopenai:\n  - base_url: http://127.0.0.1:${plan.trainerPort}/v1\n    model_name: none\n`,
  );
  const starter = await startProcess({
    name: 'train',
    command: process.execPath,
    args: ['--conditions=lachesis-source', MAIN, JSON.stringify(plan)],
    env: { LACHESIS_RUN_ID: plan.run, NODE_COMPILE_CACHE: COMPILED },
  });
  context.defer(() => killAll(plan.run));
  context.defer(async () => void (await starter.stop({ signal: 'SIGKILL' })));
  await waitUntil(
    () => `all stations run: ${countProcesses(plan.run).all.length} processes; ${starter.logs()}`,
    60_000,
    () => starter.logs().includes('environment started') && countProcesses(plan.run).all.length >= PROCESSES,
  );
  // The environment has to get as far as serving; one that is still being loaded is ended too.
  await sleep(1_500);
  starter.signal('SIGKILL');
  await starter.exited;
  try {
    const ms = await waitUntil('nothing is left', patienceMs, () => countProcesses(plan.run).all.length === 0);
    return { ms, count: 0 };
  } catch {
    return { count: countProcesses(plan.run).all.length };
  } finally {
    killAll(plan.run);
  }
}
