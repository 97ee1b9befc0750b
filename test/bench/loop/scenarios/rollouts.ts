import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import { startTinkerInference } from '../../../peers/atropos/start-tinker-trainer.ts';
import { startInference } from '../../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { startFixedEngine } from '../engine/start-engine.ts';
import { findTinyModel } from '../find-tiny-model.ts';
import { measureThroughput } from '../rollouts/run-client.ts';
import type { Throughput } from '../rollouts/run-client.ts';

const MIN_RATIO = 3;
const SAMPLE_MS = 50;
const REPLY_TOKENS = 64;
/** Enough that neither server ever waits for the client. */
const AT_ONCE = 128;
const WARM_UP_SECONDS = 5;

const WIRES = [
  { name: 'groups of 16 by /generate', wire: 'generate', samples: 16 },
  { name: 'single rollouts by chat completions', wire: 'chat', samples: 1 },
] as const;

interface Round {
  readonly theirs: Throughput;
  readonly ours: Throughput;
}

/** Rollouts a second through both inference servers, over an engine whose samples take a fixed time. */
export const rolloutsScenario: Scenario = {
  name: 'rollouts',
  title: 'inference gives three times as many rollouts a second as a FastAPI server over the official client',
  async run(context) {
    const tokenizer = await findTinyModel();
    await using engine = await startFixedEngine({ passMs: 0, optimizerMs: 0, saveMs: 0, sampleMs: SAMPLE_MS });
    await using theirs = await startTinkerInference({
      engine: engine.url,
      model: 'bench/model',
      tokenizer,
      cwd: await context.scratch(),
    });
    await using ours = await startInference({
      args: ['--engine-url', engine.url, '--base-model', 'bench/model', '--tokenizer', tokenizer],
    });
    const [rounds, seconds] = context.full ? [5, 5] : [2, 1.5];
    const load = { replyTokens: REPLY_TOKENS, atOnce: AT_ONCE, warmUpSeconds: 0.5, seconds };
    // Compiled code is what runs for days; the first seconds of a process are not what is asked about.
    await Promise.all(
      [theirs, ours].flatMap(({ url, process }) =>
        WIRES.map(({ wire, samples }) =>
          measureThroughput(
            { ...load, url, wire, samples, atOnce: AT_ONCE / 2, seconds: WARM_UP_SECONDS },
            process.pid,
          ),
        ),
      ),
    );
    for (const { name, wire, samples } of WIRES) {
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await waitForCalm(context.full);
        const measure = ({ url, process }: typeof ours): Promise<Throughput> =>
          measureThroughput({ ...load, url, wire, samples }, process.pid);
        measured.push({ theirs: await measure(theirs), ours: await measure(ours) });
      }
      reportRatio(context, name, measured);
    }
  },
};

function reportRatio(context: ScenarioContext, name: string, rounds: readonly Round[]): void {
  const median = (pick: (round: Round) => number): number => findMedian(rounds.map(pick));
  const ratios = rounds.map(({ theirs, ours }) => ours.rolloutsPerSecond / theirs.rolloutsPerSecond);
  const ratio = findMedian(ratios);
  const cpuRatio = median(({ theirs, ours }) => theirs.cpuMsPerRollout / ours.cpuMsPerRollout);
  const foreign = [median(({ ours }) => ours.foreignCores), median(({ theirs }) => theirs.foreignCores)];
  context.report({
    name,
    figure:
      `${ratio.toFixed(1)}× (${describeRounds(ratios)}; ${median(({ ours }) => ours.rolloutsPerSecond).toFixed(0)} against ` +
      `${median(({ theirs }) => theirs.rolloutsPerSecond).toFixed(0)} rollouts/s), by CPU of the server ${cpuRatio.toFixed(1)}× ` +
      `(${median(({ ours }) => ours.cpuMsPerRollout).toFixed(2)} against ${median(({ theirs }) => theirs.cpuMsPerRollout).toFixed(2)} ms); ` +
      `foreign cores ${foreign.map((cores) => cores.toFixed(2)).join(' and ')}`,
    bar: `≥ ${MIN_RATIO}×`,
    ok: ratio >= MIN_RATIO,
  });
}
