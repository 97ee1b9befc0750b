import { ensureTinyModel } from '@lachesis/tinker/engine';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { findPeerHome } from '../../../peers/engine/peer-home.ts';
import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Replies } from '../../grpo-tiny/ask-replies.ts';
import type { StepMetrics } from '../../grpo-tiny/read-metrics.ts';
import { runGrpo } from '../../grpo-tiny/run-grpo.ts';
import type { GrpoRun } from '../../grpo-tiny/run-grpo.ts';
import { warmUp } from '../../grpo-tiny/warm-up.ts';
import { countStrangers, listSpans } from '../compare-spans.ts';
import { listWarmUpConversations } from '../list-warm-up-conversations.ts';
import { PROMPTS, REPLY_TOKENS, WANTED } from '../look.ts';
import { makeToolModel } from '../make-tool-model.ts';
import { readEngineBooks } from '../read-engine-books.ts';

/** The number is fixed: who stops when it looks good reports the best moment. */
const STEPS = 12;
/** Of the warm-up, with 16 conversations each. */
const WARM_UP_STEPS = 30;
/** Half of the recipe's: with it six seeds of six keep what they reach. */
const LEARNING_RATE = '1e-3';
const STARTS_BELOW = 0.3;
const WANTED_REWARD = 0.7;
const MOST_SECONDS = 150;
/** For a machine that others use too. */
const PATIENCE_MS = 300_000;
/** The end is a mean over so many steps: one lucky batch is not enough. */
const AVERAGED = 3;
/** As many as the engine samples at once. */
const PROBES = 16;

const look = fileURLToPath(new URL('../look.ts', import.meta.url));
const outputs = fileURLToPath(new URL('../../../../.ci/logs/agent-grpo/', import.meta.url));

export const learnsScenario: Scenario = {
  name: 'learns',
  title: 'through the agent loop and the real engine a tiny model learns to use its tool',
  async run(context) {
    const modelDirectory = join(await context.scratch(), 'tiny-with-tools');
    await makeToolModel({ from: await ensureTinyModel({ home: findPeerHome() }), to: modelDirectory });
    const engineDirectory = await context.scratch();
    const engine = await startEnginePeer({
      model: { directory: modelDirectory },
      runDirectory: engineDirectory,
      onProgress: ({ message }) => context.log(message),
    });
    context.defer(() => engine.stop());
    const home = join(await context.scratch(), 'home');
    await mkdir(home);
    for (const seed of context.full ? [1, 2, 3] : [1]) {
      const cpuBefore = readProcessTree(engine.pid).cpuSeconds;
      const startedAt = performance.now();
      const warm = await warmUp({
        engineUrl: engine.url,
        modelDirectory,
        seed,
        conversations: listWarmUpConversations({ steps: WARM_UP_STEPS, seed }),
      });
      const warmSeconds = (performance.now() - startedAt) / 1000;
      context.log(
        `warm-up: loss ${warm.firstLoss.toFixed(1)} to ${warm.lastLoss.toFixed(1)} in ${warmSeconds.toFixed(0)} s`,
      );
      const run = await runGrpo({
        engineUrl: engine.url,
        home,
        run: `seed-${seed}`,
        title: `look on the tiny model, seed ${seed}: mean reward of a batch`,
        environment: look,
        sharedFlags: ['--env.total_steps', String(STEPS)],
        trainerFlags: [
          '--tinker.initial_state',
          warm.statePath,
          '--tinker.seed',
          String(seed),
          '--tinker.learning_rate',
          LEARNING_RATE,
        ],
        environmentFlags: ['--env.seed', String(seed)],
        // The shape in which the environment asks, so that the engine compiles nothing for it.
        probe: { prompt: PROMPTS[0] ?? '', samples: PROBES, maxTokens: REPLY_TOKENS },
        bar: WANTED_REWARD,
        output: join(outputs, `seed-${seed}`),
        timeoutMs: PATIENCE_MS,
        log: context.log,
        defer: context.defer,
      });
      const cpuSeconds = run.cpuSeconds + readProcessTree(engine.pid).cpuSeconds - cpuBefore;
      const name = context.full ? `seed ${seed}: ` : '';
      reportLearning(context, name, run, { cpuSeconds, seconds: warmSeconds + run.seconds });
    }
    reportTokens(context, engineDirectory);
    context.log(`curves, metrics and replies are in ${outputs}`);
  },
};

function reportLearning(
  context: ScenarioContext,
  name: string,
  { steps, replies, ledger }: GrpoRun,
  spent: { cpuSeconds: number; seconds: number },
): void {
  const first = steps[0]?.['reward/mean'] ?? Number.NaN;
  const end = endOf(steps);
  context.report({
    name: `${name}reward for using the tool`,
    figure: `${first.toFixed(3)} to ${end.toFixed(3)} in ${steps.length} steps`,
    bar: `≤ ${STARTS_BELOW} to ≥ ${WANTED_REWARD}`,
    ok: first <= STARTS_BELOW && end >= WANTED_REWARD,
  });
  const [before, after] = [countLooks(replies[0]), countLooks(replies.at(-1))];
  context.report({
    name: `${name}first replies that look at the right letter`,
    figure: `${before} of ${PROBES} before, ${after} after`,
    bar: `at least ${Math.ceil(PROBES * WANTED_REWARD)} after, and more than before`,
    ok: after > before && after >= Math.ceil(PROBES * WANTED_REWARD),
  });
  context.report({
    name: `${name}ledger of groups`,
    figure: `${ledger.produced} produced, ${ledger.trained} trained, ${ledger.quarantined} quarantined, ${ledger.balanced ? 'balanced' : 'NOT balanced'}`,
    bar: 'balanced, some trained, 0 quarantined',
    ok: ledger.balanced && ledger.trained > 0 && ledger.quarantined === 0,
  });
  context.report({
    name: `${name}time with warm-up`,
    figure: `${spent.seconds.toFixed(0)} s on the clock (${spent.cpuSeconds.toFixed(0)} s of CPU in all processes)`,
    bar: `≤ ${MOST_SECONDS} s`,
    ok: spent.seconds <= MOST_SECONDS,
  });
}

/** The engine's own books, over warm-up and training: nothing is learnt from that it did not sample. */
function reportTokens(context: ScenarioContext, engineDirectory: string): void {
  const { sampled, trained } = readEngineBooks(engineDirectory);
  const spans = trained.flatMap(listSpans);
  const strangers = countStrangers(spans, sampled);
  const several = trained.filter((row) => listSpans(row).length > 1).length;
  context.report({
    name: 'tokens trained = tokens sampled, in the books of the engine',
    figure: `${strangers} of ${spans.length} replies differ, ${trained.length} sequences, ${several} of several turns`,
    bar: '0, some of several turns',
    ok: strangers === 0 && several > 0,
  });
}

const countLooks = (replies: Replies | undefined): number =>
  (replies?.texts ?? []).filter((text) => text.includes(`<arg_value>${WANTED}</arg_value>`)).length;

/** The mean over the last steps; 0 before there are enough of them. */
function endOf(steps: readonly StepMetrics[]): number {
  const last = steps.slice(-AVERAGED);
  if (last.length < AVERAGED) return 0;
  return last.reduce((sum, { 'reward/mean': reward = Number.NaN }) => sum + reward, 0) / AVERAGED;
}
