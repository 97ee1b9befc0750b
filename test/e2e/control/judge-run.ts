import type { RunMetrics, RunStatus } from '@lachesis/protocol';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Check = readonly [what: string, holds: boolean];

export interface RunClaims {
  readonly runId: string;
  readonly states: readonly string[];
  readonly last: RunStatus | undefined;
  readonly results: RunMetrics;
}

const ORDER = ['pending', 'starting', 'running', 'stopping', 'completed'];
const CONTRACT = [
  ...['train/loss', 'train/learning_rate', 'reward/mean', 'logprobs/mean', 'logprobs/mean_training', 'logprobs/diff'],
  ...['advantages/mean', 'advantages/std', 'train/percent_correct', 'eval/percent_correct'],
];

/**
 * What was told of a run, against what its processes left on disk: a server that tells something else than what happened
 * is found out by them.
 */
export async function judgeRun(
  { runId, states, last, results }: RunClaims,
  { home, steps }: { home: string; steps: number },
): Promise<Check[]> {
  const metrics = last?.metrics;
  const inRange = (value: number | null | undefined): boolean => typeof value === 'number' && value >= 0 && value <= 1;
  const places = states.map((state) => ORDER.indexOf(state));
  const preflight = await readPreflight(home, runId);
  return [
    ['it completed', last?.status === 'completed'],
    ['its states went forward', places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1))],
    ['it passed its preflight', preflight.length >= 4 && preflight.every((passed) => passed)],
    ['it made its steps', metrics?.step === steps && metrics.state === 'finished'],
    [
      'reward, loss and the share of right answers are told',
      inRange(metrics?.reward_mean) && typeof metrics?.loss === 'number' && inRange(metrics.percent_correct),
    ],
    ['so is the evaluation', inRange(metrics?.eval_percent_correct)],
    ['every metric of the contract is in the results', CONTRACT.every((name) => name in results.final_metrics)],
    [
      'history has every step',
      Array.from({ length: steps }, (_, index) => index + 1).every((step) =>
        results.history.some((row) => row.step === step && 'reward/mean' in row),
      ),
    ],
    ['the results are those of this run', results.run_id === runId && results.status === 'completed'],
    [
      'the weights are those its trainer saved last',
      results.weights_path !== null && results.weights_path === (await readTrainedWeights(home, runId)),
    ],
  ];
}

/** The trainer's own word, from its log. */
async function readTrainedWeights(home: string, runId: string): Promise<string | undefined> {
  const log = await readFile(join(home, 'logs', 'rl_training', `trainer_${runId}.log`), 'utf8').catch(() => '');
  return [...log.matchAll(/steps are done; the weights are (tinker:\/\/[^\s"]+)/g)].at(-1)?.[1];
}

async function readPreflight(home: string, runId: string): Promise<boolean[]> {
  const text = await readFile(join(home, 'runs', runId, 'preflight.json'), 'utf8').catch(() => '{}');
  const { steps = [] } = JSON.parse(text) as { steps?: { state: string }[] };
  return steps.map(({ state }) => state === 'passed' || state === 'skipped');
}
