import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Outcome } from '@lachesis/sdk/environment';
import type { RecordTrainingResult } from '../../../packages/server/src/services/training/records/training-memory.ts';
import type { RecordTrainingReplacements } from '../../../packages/server/src/services/training/records/training.ts';

import { measureMargins } from '../../../packages/server/src/services/training/reward/measure-margins.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { runWell } from '../sft-from-trajectories/run-command.ts';
import { countWanted, listPairs } from './list-pairs.ts';
import { makeTaste } from './make-taste.ts';
import { measureAgreement } from './measure-agreement.ts';
import { measureHeads } from './measure-heads.ts';
import { serveTaste } from './serve-taste.ts';
import type { ServedTaste } from './serve-taste.ts';
import { REWARD_FLAGS, trainTaste } from './train-taste.ts';

/** Ten steps of sixteen pairs. */
const SIZES = { train: 160, heldOut: 64 };
/** The mutant is far away after a third of them; with --full it has as many as the honest run. */
const MUTANT_SIZES = { train: 64, heldOut: 64 };
const WANTED = 0.9;
/** A model that learnt nothing has half of the pairs right. */
const MUTANT_AT_MOST = 0.25;
const MOST_CALIBRATION_ERROR = 0.15;
const WANTED_AGREEMENT = 0.7;

/** `pnpm e2e reward-tiny`: pairs in, a model of the taste behind them out, served as a reward. */
export const scenarios: Scenario[] = [
  {
    name: 'learns',
    title: 'a reward model learns a taste from pairs, is served, and orders replies it has never seen',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      let last: ServedTaste | undefined;
      for (const seed of context.full ? [1, 2, 3] : [1]) {
        const home = join(await context.scratch(), 'home');
        await mkdir(home);
        await makeTaste({ home, seed, sizes: SIZES });
        const startedAt = performance.now();
        const command = ['train', 'reward', '--dataset', 'taste@1', '--run', 'taste', '--model-name', 'taste'];
        const { lines } = await runWell({
          args: [...command, ...REWARD_FLAGS, '--seed', String(seed), '--home', home, '--json'],
          engineUrl: engine.url,
        });
        const result = JSON.parse(lines.at(-1) ?? '') as RecordTrainingResult;
        context.log(`trained in ${seconds(startedAt)}: ${JSON.stringify(result.metrics)}`);
        const name = context.full ? `seed ${seed}: ` : '';
        reportTraining(context, name, result);
        await last?.[Symbol.asyncDispose]();
        const served = await serveTaste({ home, engineUrl: engine.url, model: result.model ?? 'taste' });
        context.defer(async () => served[Symbol.asyncDispose]());
        await reportServing(context, name, served, seed);
        last = served;
      }

      const home = join(await context.scratch(), 'home');
      await mkdir(home);
      await makeTaste({ home, seed: 1, sizes: context.full ? SIZES : MUTANT_SIZES });
      const mutant = await trainTaste({ home, engineUrl: engine.url, run: 'swapped', seed: 1, replace: SWAPPED });
      const accuracy = mutant.metrics['eval/accuracy'] ?? Number.NaN;
      context.report({
        name: 'mutant with the two sides of a pair swapped',
        figure: `pair accuracy ${accuracy.toFixed(3)} on held-out pairs`,
        bar: `caught: the other way, ≤ ${MUTANT_AT_MOST}`,
        ok: accuracy <= MUTANT_AT_MOST,
      });

      if (context.full) await reportHeads(context, { engineUrl: engine.url, modelDirectory: engine.modelDirectory });
      if (last !== undefined) await reportFailure(context, last, engine);
    },
  },
];

/** The seeded fault: while it learns, the worse reply is taken for the better one. */
const SWAPPED: RecordTrainingReplacements = {
  method: (real) => ({
    ...real,
    pass: (model, batch) =>
      real.pass(
        model,
        batch.map((example) => ({ ...example, datums: [...example.datums.slice(2), ...example.datums.slice(0, 2)] })),
      ),
  }),
};

function reportTraining(context: ScenarioContext, name: string, { metrics, steps }: RecordTrainingResult): void {
  const accuracy = metrics['eval/accuracy'] ?? Number.NaN;
  context.report({
    name: `${name}pair accuracy`,
    figure: `${accuracy.toFixed(3)} of ${SIZES.heldOut} held-out pairs after ${steps} steps`,
    bar: `≥ ${WANTED}`,
    ok: accuracy >= WANTED,
  });
  const error = metrics['eval/calibration_error'] ?? Number.NaN;
  context.report({
    name: `${name}calibration`,
    figure: `expected calibration error ${error.toFixed(3)}, Brier score ${(metrics['eval/brier'] ?? Number.NaN).toFixed(3)}`,
    bar: `≤ ${MOST_CALIBRATION_ERROR}`,
    ok: error <= MOST_CALIBRATION_ERROR,
  });
}

/** What the server says, over HTTP, as an environment hears it. */
async function reportServing(context: ScenarioContext, name: string, served: ServedTaste, seed: number): Promise<void> {
  const pairs = listPairs({ count: 32, seed: seed + 100, split: 'eval' });
  const startedAt = performance.now();
  const sides = await Promise.all(
    pairs.map(async ({ prompt, chosen, rejected }) => {
      const score = async ([reply]: typeof chosen): Promise<{ score: number; rating: number }> => {
        const said = readText(reply);
        return { score: readScore(await served.score(readText(prompt[0]), said)), rating: countWanted(said) };
      };
      return { chosen: await score(chosen), rejected: await score(rejected) };
    }),
  );
  const took = seconds(startedAt);
  const { accuracy } = measureMargins(sides.map(({ chosen, rejected }) => chosen.score - rejected.score));
  const all = sides.flatMap(({ chosen, rejected }) => [chosen, rejected]);
  const tau = measureAgreement(
    all.map(({ score }) => score),
    all.map(({ rating }) => rating),
  );
  context.report({
    name: `${name}served`,
    figure: `pair accuracy ${accuracy.toFixed(3)}, Kendall's tau with the ratings ${tau.toFixed(3)}, ${all.length} replies in ${took}`,
    bar: `≥ ${WANTED}, ≥ ${WANTED_AGREEMENT}`,
    ok: accuracy >= WANTED && tau >= WANTED_AGREEMENT,
  });
}

async function reportHeads(
  context: ScenarioContext,
  places: { engineUrl: string; modelDirectory: string },
): Promise<void> {
  const heads = await measureHeads({ ...places, seed: 1, pairs: 192, heldOutPairs: 64, steps: 12 });
  for (const { head, accuracy, logLoss, calibrationError, steps, seconds: took } of heads) {
    context.log(
      `${head}: accuracy ${accuracy.toFixed(3)}, log loss ${logLoss.toFixed(3)}, calibration error ${calibrationError.toFixed(3)} after ${steps} steps in ${took.toFixed(0)} s`,
    );
  }
  const [scoring, comparing] = heads;
  context.report({
    name: 'scoring token against comparison',
    figure: `log loss ${scoring?.logLoss.toFixed(3)} against ${comparing?.logLoss.toFixed(3)}, accuracy ${scoring?.accuracy.toFixed(3)} against ${comparing?.accuracy.toFixed(3)}`,
    bar: 'the one that is served is not the worse one',
    ok: (scoring?.logLoss ?? Number.NaN) <= (comparing?.logLoss ?? Number.NaN),
  });
}

/** An engine that is gone is a failure of the verifier; a reward of 0 would be a lie about the reply. */
async function reportFailure(
  context: ScenarioContext,
  served: ServedTaste,
  engine: { stop(): Promise<void> },
): Promise<void> {
  const before = await served.score('Send digits.', '12345678');
  await engine.stop();
  const after = await served.score('Send digits.', '12345678');
  context.report({
    name: 'without an engine',
    figure: `${before.kind}, then ${after.kind}${after.kind === 'failed' ? ` (${after.failure}: ${after.reason})` : ''}`,
    bar: 'scored, then failed (verifier)',
    ok: before.kind === 'scored' && after.kind === 'failed' && after.failure === 'verifier',
  });
}

const readText = (message: { content?: unknown } | undefined): string =>
  typeof message?.content === 'string' ? message.content : '';

function readScore(outcome: Outcome): number {
  if (outcome.kind === 'scored') return outcome.reward;
  throw new Error(`no score: ${outcome.reason}`);
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
