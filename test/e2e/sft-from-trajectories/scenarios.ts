import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { trainOnRecords } from '@lachesis/server';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { countLearntTokens } from './count-learnt-tokens.ts';
import { learnPrompts } from './learn-prompts.ts';
import { forgetLastStep, readBooks } from './read-books.ts';
import { compareSeries, readNll } from './read-nll.ts';
import { recordAgent } from './record-agent.ts';
import { runCommand, runWell } from './run-command.ts';

const BATCH = 16;
const STEPS = 14;
const KILLED_AFTER = 6;
/** Of the start: what is learnt, and what was never asked. */
const FALLEN_TO = 0.1;
const MEASURED_FALLEN_TO = 0.5;
const TOLERANCE = 1e-4;

const SETTINGS = {
  ...{ lora_rank: 8, batch_size: BATCH, epochs: STEPS / 2, learning_rate: 1e-2, save_every: 4, seed: 1 },
} as const;

/** `pnpm e2e sft-from-trajectories`: from an application's calls to a registered model, killed on the way. */
export const scenarios: Scenario[] = [
  {
    name: 'learns',
    title: 'recorded calls become a data set and a model; kill -9 changes nothing of what it learns',
    async run(context) {
      const engineDirectory = await context.scratch();
      const home = join(await context.scratch(), 'home');
      await mkdir(home);
      // The engine starts for as long as it takes to record and to make the sets.
      const [engine, { asked, heldOut }] = await Promise.all([
        startEnginePeer({ runDirectory: engineDirectory, onProgress: ({ message }) => context.log(message) }),
        makeSets({ home }),
      ]);
      context.defer(() => engine.stop());
      context.report({
        name: 'recorded rows',
        figure: `${asked} calls, ${heldOut} of them held out`,
        bar: '40, 8',
        ok: asked === 40 && heldOut === 8,
      });

      const train = (run: string) => ({
        engineUrl: engine.url,
        args: [
          ...['train', 'sft', '--dataset', 'answers@1', '--eval-dataset', 'measure', '--run', run, '--home', home],
          ...Object.entries(SETTINGS).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]),
          ...['--lr-schedule', 'cosine', '--warmup-steps', '2'],
        ],
      });
      await runWell(train('straight'));
      const straight = await readNll({ home, run: 'straight' });
      const fallen = (series: ReadonlyMap<number, number>, first: number): { from: number; to: number } => ({
        from: series.get(first) ?? Number.NaN,
        to: series.get(STEPS) ?? Number.NaN,
      });
      const [learnt, measured] = [fallen(straight.train, 1), fallen(straight.evaluated, 0)];
      context.report({
        name: 'train/mean_nll',
        figure: `${learnt.from.toFixed(2)} to ${learnt.to.toFixed(3)} in ${STEPS} steps`,
        bar: `≤ ${FALLEN_TO} of it`,
        ok: learnt.to <= FALLEN_TO * learnt.from,
      });
      context.report({
        name: 'eval/mean_nll',
        figure: `${measured.from.toFixed(2)} to ${measured.to.toFixed(2)} on questions that were never asked`,
        bar: `≤ ${MEASURED_FALLEN_TO} of it`,
        ok: measured.to <= MEASURED_FALLEN_TO * measured.from,
      });

      const wanted = await countLearntTokens({ modelDirectory: engine.modelDirectory });
      const perEpoch = [1, 2].reduce((sum, step) => sum + (straight.trainedTokens.get(step) ?? 0), 0);
      context.report({
        name: 'tokens learnt in an epoch',
        figure: `${perEpoch} (the replies have ${wanted})`,
        bar: 'the same',
        ok: perEpoch === wanted,
      });

      const killAfter = new RegExp(`^step ${KILLED_AFTER} of`);
      const killed = await runCommand({ ...train('killed'), killAfter });
      await runWell(train('killed'));
      const again = await runWell(train('killed'));
      const resumed = await readNll({ home, run: 'killed' });
      const apart = compareSeries(straight.train, resumed.train);
      const isSame = (straight.evaluated.get(STEPS) ?? 0) - (resumed.evaluated.get(STEPS) ?? Number.NaN);
      context.report({
        name: 'mean_nll after kill -9',
        figure: `${Math.max(apart.largest, Math.abs(isSame)).toExponential(1)} apart at most over ${apart.steps} steps and the last evaluation`,
        bar: `≥ ${STEPS - 1} steps, ≤ ${TOLERANCE}`,
        ok:
          killed.signal === 'SIGKILL' &&
          apart.steps >= STEPS - 1 &&
          apart.largest <= TOLERANCE &&
          Math.abs(isSame) <= TOLERANCE,
      });
      const books = readBooks({ home, run: 'killed', engineDirectory });
      context.report({
        name: 'steps in the engine',
        figure: `${books.done} in the ledger, ${books.engine} made by the model of the last weights, ${books.largest} sequences at most`,
        bar: `${STEPS}, at most ${STEPS}, ${BATCH}`,
        ok: books.done === STEPS && books.engine <= STEPS && books.largest === BATCH,
      });
      const repeated = again.lines.some((line) => line.startsWith('step '));
      context.report({
        name: 'a finished run again',
        figure: repeated ? 'trains' : (again.lines.find((line) => line.startsWith('finished')) ?? 'nothing'),
        bar: 'gives its model, trains nothing',
        ok: !repeated && again.lines.some((line) => line.includes('killed@1')),
      });

      await runCommand({ ...train('twice'), killAfter });
      const step = forgetLastStep({ home, run: 'twice' });
      // Far enough to see it.
      await runCommand({ ...train('twice'), killAfter: new RegExp(`^step ${step + 3} of`) });
      const twice = compareSeries(straight.train, (await readNll({ home, run: 'twice' })).train);
      context.report({
        name: 'mutant that makes a step twice',
        figure: `${twice.largest.toExponential(1)} apart after step ${step}`,
        bar: `caught: > ${TOLERANCE}`,
        ok: twice.largest > TOLERANCE,
      });

      const unmasked = await trainOnRecords({
        ...{ method: 'sft', dataset: { name: 'answers' }, run: 'unmasked', home },
        tinker: { baseUrl: engine.url, apiKey: 'tml-none' },
        settings: { ...SETTINGS, max_steps: 1, use_tensorboard: false },
        replace: { method: learnPrompts },
      });
      const tokens = unmasked.metrics['train/trained_tokens'] ?? 0;
      context.report({
        name: 'mutant that learns prompts too',
        figure: `${tokens} tokens in its first step, where the honest one has ${straight.trainedTokens.get(1) ?? Number.NaN}`,
        bar: 'caught: more',
        ok: tokens > (straight.trainedTokens.get(1) ?? Number.NaN),
      });
    },
  },
];

/** Records the calls, and makes of them a set to train on and one to measure with. */
async function makeSets({ home }: { home: string }): Promise<{ asked: number; heldOut: number }> {
  const { asked } = await recordAgent({ home });
  const make = (name: string, ...args: string[]) =>
    runWell({ args: ['data', 'sets', 'make', name, '--home', home, '--complete', '--json', ...args] });
  await make('answers', '--user', 'train');
  const { lines } = await make('measure', '--user', 'measure', '--held-out');
  const { dataset } = JSON.parse(lines.at(-1) ?? '{}') as { dataset: { row_count: number } };
  return { asked, heldOut: dataset.row_count };
}
