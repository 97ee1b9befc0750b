import { estimatePassAtK } from '../../../packages/sdk/src/environment/runner/estimate-pass-at-k.ts';
import path from 'node:path';
import type { Scenario } from '../../scenarios/scenario.ts';
import { enumerateChoices } from './enumerate-choices.ts';
import { evaluate, makeLeak, makeProject, readSamples, SAMPLES, type EvaluatedModel } from './run-evaluate.ts';
import { startCountingModel } from './start-counting-model.ts';

const CLOSE = 1e-12;
const MOST_SAMPLES = 10;

type Estimate = (given: { samples: number; correct: number; k: number }) => number | undefined;

/** The number in use before the paper: it takes the rate of few samples for the truth. */
const naive: Estimate = ({ samples, correct, k }) => 1 - (1 - correct / samples) ** k;

/** What a person who evaluates reads, held against every choice of k samples. */
export const scenarios: Scenario[] = [
  {
    name: 'pass-at-k',
    title: 'pass@k is the share of all choices of k samples that hold a right one, and what one calculates by hand',
    run: async (context) => {
      const { cases, wrong } = compareWithChoices(estimatePassAtK);
      context.report({
        name: 'enumerated',
        figure: `${cases - wrong} of ${cases}`,
        bar: `all, n ≤ ${MOST_SAMPLES}`,
        ok: wrong === 0,
      });
      // 1 − C(3,2)/C(5,2) = 7/10; 1 − C(9,5)/C(10,5) = 1/2; 1 − C(195,10)/C(200,10), calculated with whole numbers.
      const byHand = [
        { samples: 5, correct: 2, k: 2, value: 7 / 10 },
        { samples: 10, correct: 1, k: 5, value: 1 / 2 },
        { samples: 200, correct: 5, k: 10, value: 1 - divideChoices(195, 200, 10) },
      ];
      const right = byHand.filter(({ value, ...given }) => Math.abs((estimatePassAtK(given) ?? -1) - value) < CLOSE);
      context.report({ name: 'by hand', figure: `${right.length} of 3`, bar: '3 of 3', ok: right.length === 3 });
    },
  },
  {
    name: 'command',
    title: '`env evaluate --samples` prints what its own samples come to, with intervals that a second run gives again',
    run: async (context) => {
      const project = await makeProject(context);
      const flags = ['--openai.base_url', await startCountingModel(context), '--env.max_n_completions', '3'];
      const first = await evaluate<{ folder: string; models: [EvaluatedModel] }>(project, ['tasks', ...flags]);
      const { rates, items } = first.models[0];
      const samples = await readSamples(path.resolve(project.folder, first.folder));
      const counts = items.map(({ correct }) => correct);
      context.report({
        name: 'per item',
        figure: counts.join(' '),
        bar: '0 1 2 3 4 5 6 7 8 right of 8',
        ok: counts.every((count, right) => count === right) && items.every((item) => item.samples === SAMPLES),
      });
      for (const k of [1, 2, 4, 8]) {
        const wanted = mean(samples.map((isRight) => enumerateChoices({ isRight, k })));
        const { value, interval } = rates.pass[`pass@${k}`]!;
        context.report({
          name: `pass@${k}`,
          figure: `${value.toFixed(6)} (${interval?.map((end) => end.toFixed(3)).join(' to ')})`,
          bar: `${wanted.toFixed(6)}, inside its interval`,
          ok: Math.abs(value - wanted) < CLOSE && interval !== null && interval[0] <= value && value <= interval[1],
        });
      }
      context.report({
        name: 'avg@8',
        figure: rates.average.value.toFixed(6),
        bar: '0.500000',
        ok: Math.abs(rates.average.value - 0.5) < CLOSE,
      });
      const again = await evaluate<{ models: [EvaluatedModel] }>(project, ['tasks', ...flags]);
      const isSame = JSON.stringify(again.models[0].rates) === JSON.stringify(rates);
      context.report({ name: 'again', figure: isSame ? 'the same' : 'another', bar: 'the same', ok: isSame });
    },
  },
  {
    name: 'suite',
    title: 'two environments give one table: each line as alone, and their mean',
    run: async (context) => {
      const project = await makeProject(context);
      const flags = ['--openai.base_url', await startCountingModel(context)];
      const suite = await evaluate<{
        environments: { environment: string; models: [EvaluatedModel] }[];
        mean: [{ pass: EvaluatedModel['rates']['pass'] }];
      }>(project, ['suite.yaml', ...flags]);
      const names = suite.environments.map(({ environment }) => environment).join(', ');
      context.report({ name: 'environments', figure: names, bar: 'tasks, halves', ok: names === 'tasks, halves' });
      const alone = await evaluate<{ models: [EvaluatedModel] }>(project, ['halves', ...flags]);
      const line = suite.environments[1]?.models[0].rates;
      const isSame = JSON.stringify(line) === JSON.stringify(alone.models[0].rates);
      context.report({ name: 'line', figure: isSame ? 'as alone' : 'another', bar: 'as alone', ok: isSame });
      // Nine items and four: means of environments, not of items.
      const wanted = mean(suite.environments.map(({ models }) => models[0].rates.pass['pass@2']!.value));
      const found = suite.mean[0].pass['pass@2']!;
      context.report({
        name: 'mean pass@2',
        figure: `${found.value.toFixed(6)} of ${found.items} items`,
        bar: `${wanted.toFixed(6)} of 13 items`,
        ok: Math.abs(found.value - wanted) < CLOSE && found.items === 13,
      });
    },
  },
  {
    name: 'contamination',
    title: 'evaluation items that are in training are found, and told without',
    run: async (context) => {
      const project = await makeProject(context);
      await makeLeak(project.folder);
      const flags = ['--contamination', '--openai.base_url', await startCountingModel(context)];
      const { contamination } = await evaluate<{
        contamination: {
          items: { key: string; is_exact: boolean }[];
          without: [{ rates: EvaluatedModel['rates'] }];
        };
      }>(project, ['environments/leak.ts', ...flags]);
      const found = contamination.items
        .map(({ key, is_exact: isExact }) => `${key}${isExact ? ' exact' : ''}`)
        .join(', ');
      context.report({
        name: 'found',
        figure: found,
        bar: 'eval-2 exact, eval-4',
        ok: found === 'eval-2 exact, eval-4',
      });
      // Of 0, 1, 2, 3, 4 right of eight, 0, 1 and 3 are left.
      const { items, average } = contamination.without[0].rates;
      context.report({
        name: 'without them',
        figure: `avg@8 ${average.value.toFixed(6)} of ${items} items`,
        bar: `${(4 / 24).toFixed(6)} of 3 items`,
        ok: items === 3 && Math.abs(average.value - 4 / 24) < CLOSE,
      });
    },
  },
  {
    name: 'mutant',
    title: 'the estimator 1 − (1 − c/n)^k is caught',
    run: async (context) => {
      const { cases, wrong } = compareWithChoices(naive);
      context.report({ name: 'naive', figure: `${wrong} of ${cases} wrong`, bar: 'caught: > 0', ok: wrong > 0 });
    },
  },
];

function compareWithChoices(estimate: Estimate): { cases: number; wrong: number } {
  let [cases, wrong] = [0, 0];
  for (let samples = 1; samples <= MOST_SAMPLES; samples += 1) {
    for (let correct = 0; correct <= samples; correct += 1) {
      const isRight = Array.from({ length: samples }, (_, place) => place < correct);
      for (let k = 1; k <= samples; k += 1) {
        cases += 1;
        const value = estimate({ samples, correct, k }) ?? -1;
        if (Math.abs(value - enumerateChoices({ isRight, k })) > CLOSE) wrong += 1;
      }
    }
  }
  return { cases, wrong };
}

/** C(left, k) / C(right, k) without rounding before the end. */
function divideChoices(left: number, right: number, k: number): number {
  let [above, below] = [1n, 1n];
  for (let place = 0; place < k; place += 1) {
    above *= BigInt(left - place);
    below *= BigInt(right - place);
  }
  return Number((above * 10n ** 18n) / below) / 1e18;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
