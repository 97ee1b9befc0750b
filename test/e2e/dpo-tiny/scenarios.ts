import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { balanceQuestions } from './balance-questions.ts';
import { candidates, trained } from './corpus.ts';
import { makePairSets, runDpo, warmUp, type DpoPlace } from './run-dpo.ts';
import { sampleStyles } from './sample-styles.ts';
import { showSmolLm2 } from './smollm2.ts';
import { swapPairs } from './swap-pairs.ts';

const WARM_UP_EPOCHS = 2;
/** With the replies of a pair as many sequences as a step has: one compiled program serves all. */
const HELD_OUT = 16;
const EPOCHS = 4;
/** Enough for the honest one to be right. */
const MUTANT_EPOCHS = 2;
/** A model that learnt nothing has half of the pairs right. */
const MUTANT_AT_MOST = 0.25;
const STARTS_AT_MOST = 0.6;
const WANTED = 0.9;
/** Of replies at temperature 1. */
const SAMPLED_WANTED = 0.8;
const SAMPLED_AT_MOST = 0.65;
const SAMPLES = 4;

/** `pnpm e2e dpo-tiny`: feedback of every kind becomes pairs, and pairs become another behaviour. */
export const scenarios: Scenario[] = [
  {
    name: 'learns',
    title: 'DPO on the real engine: ≤ 0.6 to ≥ 0.9 on preferences it never saw, and it writes what is preferred',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      for (const seed of context.full ? [1, 2, 3] : [1]) {
        const home = join(await context.scratch(), 'home');
        await mkdir(home);
        await showSeed(context, { home, seed, engineUrl: engine.url, modelDirectory: engine.modelDirectory });
      }
    },
  },
  {
    name: 'smollm2',
    title: 'SmolLM2-135M-Instruct learns to answer in one sentence (with --full alone)',
    async run(context) {
      if (context.full) return showSmolLm2(context);
      context.reportNotRun({ name: 'smollm2', why: 'it takes minutes; run with --full', bar: 'learns' });
    },
  },
];

async function showSeed(
  context: ScenarioContext,
  options: { home: string; seed: number; engineUrl: string; modelDirectory: string },
): Promise<void> {
  const { home, seed, engineUrl, modelDirectory } = options;
  const name = context.full ? `seed ${seed}: ` : '';
  const heard: string[] = [];
  const log = (text: string): void => {
    heard.push(text);
    context.log(text);
  };
  const place: DpoPlace = { home, engineUrl, log };
  const warm = await warmUp(place, { seed, epochs: WARM_UP_EPOCHS });
  const heldOut = await balanceQuestions({
    ...{ engineUrl, modelDirectory, candidates, count: HELD_OUT },
    statePath: warm.statePath ?? '',
  });
  const sample = { engineUrl, modelDirectory, questions: heldOut, samples: SAMPLES, seed };
  const { pairs, feedback } = await makePairSets(place, { heldOut });
  context.report({
    name: `${name}pairs from feedback`,
    figure: `${pairs} pairs of ${feedback} thumbs, stars, edits, choices and scores`,
    bar: `${trained.length}`,
    ok: pairs === trained.length,
  });

  const before = await sampleStyles({ ...sample, weightsPath: warm.weightsPath ?? '' });
  const parent = warm.model ?? '';
  const dpo = await runDpo(place, { run: `dpo-${seed}`, parent, seed, epochs: EPOCHS });
  const after = await sampleStyles({ ...sample, weightsPath: dpo.weightsPath ?? '' });
  context.log(`such as ${JSON.stringify(after.replies.slice(0, 8))}`);
  const first = await readFirst({ home, run: `dpo-${seed}`, series: 'eval/preferred' });
  const last = dpo.metrics['eval/preferred'] ?? Number.NaN;
  context.report({
    name: `${name}held-out accuracy`,
    figure: `${first.toFixed(2)} to ${last.toFixed(2)} in ${dpo.steps} steps (against the reference ${dpo.metrics['eval/accuracy']?.toFixed(2)})`,
    bar: `≤ ${STARTS_AT_MOST} to ≥ ${WANTED}`,
    ok: first <= STARTS_AT_MOST && last >= WANTED && (dpo.metrics['eval/accuracy'] ?? 0) >= WANTED,
  });
  context.report({
    name: `${name}sampled replies in the preferred style`,
    figure: `${before.wanted.toFixed(2)} to ${after.wanted.toFixed(2)} of ${after.replies.length}`,
    bar: `≤ ${SAMPLED_AT_MOST} to ≥ ${SAMPLED_WANTED}`,
    ok: before.wanted <= SAMPLED_AT_MOST && after.wanted >= SAMPLED_WANTED,
  });

  const measuredBefore = heard.filter((line) => line.startsWith('reference')).length;
  const mutant = await runDpo(place, {
    run: 'swapped',
    parent,
    seed,
    epochs: context.full ? EPOCHS : MUTANT_EPOCHS,
    replace: { method: swapPairs },
  });
  const measuredAfter = heard.filter((line) => line.startsWith('reference')).length;
  context.report({
    name: `${name}reference logprobs`,
    figure: `measured in ${measuredBefore} parts for the first run, ${measuredAfter - measuredBefore} for the next`,
    bar: 'once',
    ok: measuredBefore > 0 && measuredAfter === measuredBefore,
  });
  const swapped = mutant.metrics['eval/accuracy'] ?? Number.NaN;
  context.report({
    name: `${name}mutant with swapped pairs`,
    figure: `held-out accuracy ${swapped.toFixed(2)} after ${mutant.steps} steps`,
    bar: `caught: the other way, ≤ ${MUTANT_AT_MOST}`,
    ok: swapped <= MUTANT_AT_MOST,
  });
}

/** The value a series of a run began with. */
async function readFirst(options: { home: string; run: string; series: string }): Promise<number> {
  const text = await readFile(join(options.home, 'runs', options.run, 'metrics.jsonl'), 'utf8');
  for (const line of text.split('\n')) {
    const value = line === '' ? undefined : (JSON.parse(line) as Record<string, number>)[options.series];
    if (value !== undefined) return value;
  }
  return Number.NaN;
}
