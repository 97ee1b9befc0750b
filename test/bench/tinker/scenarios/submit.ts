import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { PassTimes, SubmitOptions, SubmitResult } from '../clients/submit-options.ts';
import { runClient } from '../run-client.ts';
import type { Recording } from '../server/recording.ts';
import { startRecordingServer } from '../server/start-recording-server.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import { BATCH } from '../workload.ts';

const ROUNDS = 3;
const MIN_RATIO = 5;

interface Side {
  /** From arrays until the last request was acknowledged. */
  readonly ms: number;
  /** The same from datums that were made before. */
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly foreignCores: number;
  readonly passes: Recording['passes'];
}

/** The time in which a batch of typed arrays is on the server, beside that of the official client with numpy tensors. */
export const submitScenario: Scenario = {
  name: 'submit',
  title: 'encodes and submits a batch of 128 × 8192 tokens five times as quickly as the official client',
  async run(context) {
    // No flag is set: each client posts the parts of a batch as it does by default, ours one after another.
    await using server = await startRecordingServer({ delayMs: 0, flags: {} });
    const run = (file: string, changes: Partial<SubmitOptions> = {}): Promise<Side> =>
      measure(file, { url: server.url, warmPasses: 4, timedPasses: 8, ...changes }, context);
    const rounds: { theirs: Side; ours: Side }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await waitForCalm(context.full);
      rounds.push({ theirs: await run('submit_with_sdk.py'), ours: await run('submit-process.ts') });
    }
    reportRatio(context, rounds);
    const sameBytes = rounds.filter(({ theirs, ours }) => isSameBatch(theirs, ours)).length;
    context.report({
      name: 'submit same bytes',
      figure: `${sameBytes} of ${rounds.length} rounds, ${rounds[0]?.ours.passes.bytes ?? 0} bytes in ${rounds[0]?.ours.passes.requests ?? 0} requests`,
      bar: `${ROUNDS} of ${ROUNDS}`,
      ok: sameBytes === ROUNDS,
    });
    const changed = await run('submit-process.ts', { warmPasses: 0, timedPasses: 1, changesOneToken: true });
    const isCaught = !isSameBatch(rounds[0]!.theirs, changed);
    context.report({
      name: 'submit mutant: one token changed',
      figure: isCaught ? 'caught by the bytes' : 'not noticed',
      bar: 'caught',
      ok: isCaught,
    });
  },
};

async function measure(file: string, options: SubmitOptions, context: ScenarioContext): Promise<Side> {
  const { result, foreignCores } = await runClient<SubmitResult>({ file, options, capSeconds: 60 });
  const usual = (pick: (pass: PassTimes) => string): number =>
    findMedian(result.times.map((pass) => Number(BigInt(pass.recorded.lastNs) - BigInt(pick(pass))) / 1e6));
  const side = {
    ms: usual(({ startedNs }) => startedNs),
    readyMs: usual(({ readyNs }) => readyNs),
    cpuMs: findMedian(result.times.map(({ cpuMs }) => cpuMs)),
    foreignCores,
    passes: result.recorded,
  };
  context.log(
    `${file}: ${side.ms.toFixed(0)} ms from arrays, ${side.readyMs.toFixed(0)} from datums; foreign cores ${foreignCores.toFixed(2)}`,
  );
  return side;
}

function reportRatio(context: ScenarioContext, rounds: readonly { theirs: Side; ours: Side }[]): void {
  const median = (pick: (round: { theirs: Side; ours: Side }) => number): number => findMedian(rounds.map(pick));
  const ratios = rounds.map(({ theirs, ours }) => theirs.ms / ours.ms);
  const ratio = findMedian(ratios);
  const [ours, theirs] = [median((round) => round.ours.ms), median((round) => round.theirs.ms)];
  const millions = (BATCH.sequences * BATCH.tokens) / 1000;
  context.report({
    name: 'submit',
    figure: [
      `${ratio.toFixed(1)}× (${describeRounds(ratios)}; ${(millions / ours).toFixed(1)} against ${(millions / theirs).toFixed(1)} million tokens/s;`,
      `${ours.toFixed(0)} against ${theirs.toFixed(0)} ms; from ready datums`,
      `${median((round) => round.theirs.readyMs / round.ours.readyMs).toFixed(1)}×; CPU of the client`,
      `${median((round) => round.ours.cpuMs).toFixed(0)} against ${median((round) => round.theirs.cpuMs).toFixed(0)} ms; foreign cores`,
      `${median((round) => round.ours.foreignCores).toFixed(2)} and ${median((round) => round.theirs.foreignCores).toFixed(2)})`,
    ].join(' '),
    bar: `≥ ${MIN_RATIO}×`,
    ok: ratio >= MIN_RATIO,
  });
}

/** Equal but for the order of map entries, which protobuf leaves open. */
function isSameBatch(left: Side, right: Side): boolean {
  return (
    left.passes.bytes === right.passes.bytes &&
    left.passes.histogram.every((count, byte) => count === right.passes.histogram[byte])
  );
}
