import type { LEARNING_CAUSES } from '@lachesis/protocol';

type LearningCause = (typeof LEARNING_CAUSES)[number];

/** A run that is recorded once on the real CPU engine. Settings are those of `cpu_tiny` besides the ones that stand here. */
export interface Seed {
  readonly name: string;
  /** What has to be named; absent for a healthy run. */
  readonly cause?: LearningCause;
  /** What has to be in the command that is given. */
  readonly command?: string;
  /** Steps after which it has to be named; three where it can be known by then. */
  readonly namedBy?: number;
  readonly steps: number;
  /** A state to begin with: digits at random, one reply by heart, or the weights as they were drawn. */
  readonly start: 'digits' | 'none' | 'one-reply';
  readonly environment: 'digits' | 'look' | 'seeded';
  readonly env?: Readonly<Record<string, number | string>>;
  readonly tinker?: Readonly<Record<string, number | string>>;
}

const SICK: readonly Seed[] = [
  { name: 'no-reward', cause: 'no-reward', command: 'train warm-up', steps: 3, start: 'none', environment: 'digits' },
  {
    ...{
      name: 'equal-groups',
      cause: 'equal-groups',
      command: 'env check seeded',
      steps: 3,
      start: 'digits',
      environment: 'seeded',
    },
    env: { fault: 'constant' },
  },
  {
    ...{
      name: 'collapse',
      cause: 'collapse',
      command: '--tinker.kl_coefficient',
      steps: 3,
      start: 'one-reply',
      environment: 'digits',
    },
    tinker: { learning_rate: 1e-4 },
  },
  {
    ...{
      name: 'rate-too-high',
      cause: 'rate-too-high',
      command: '--tinker.learning_rate 3',
      steps: 6,
      start: 'digits',
      environment: 'digits',
    },
    tinker: { learning_rate: 30 },
  },
  {
    ...{
      name: 'truncation',
      cause: 'truncation',
      command: '--env.max_completion_tokens 8',
      steps: 3,
      start: 'one-reply',
      environment: 'seeded',
    },
    env: { fault: 'ends', max_completion_tokens: 4 },
  },
  {
    ...{
      name: 'unparsed-replies',
      cause: 'unparsed-replies',
      command: 'rollouts unparsed-replies',
      steps: 3,
      start: 'digits',
      environment: 'seeded',
    },
    env: { fault: 'parses' },
  },
  {
    ...{
      name: 'stale-policy',
      cause: 'stale-policy',
      command: '--env.max_batches_offpolicy 1',
      steps: 8,
      start: 'digits',
      environment: 'digits',
    },
    env: { max_batches_offpolicy: 8 },
    tinker: { mode: 'async', learning_rate: 0.01 },
  },
  {
    ...{
      name: 'evaluation-flat',
      cause: 'evaluation-flat',
      command: 'env evaluate seeded',
      namedBy: 6,
      steps: 12,
      start: 'digits',
    },
    ...{ environment: 'seeded', env: { fault: 'other-evaluation', steps_per_eval: 3 } },
  },
  {
    name: 'template-without-tools',
    cause: 'template-without-tools',
    command: 'env check look',
    steps: 3,
    start: 'digits',
    environment: 'look',
  },
  {
    ...{
      name: 'temperature',
      cause: 'temperature',
      command: '--env.temperature 1',
      steps: 3,
      start: 'digits',
      environment: 'digits',
    },
    env: { temperature: 0.6 },
  },
  {
    ...{
      name: 'verifier-fails',
      cause: 'verifier-fails',
      command: 'logs verifier-fails env',
      steps: 3,
      start: 'digits',
      environment: 'seeded',
    },
    env: { fault: 'breaks' },
  },
  {
    ...{
      name: 'learning-rate-zero',
      cause: 'learning-rate-zero',
      command: '--tinker.learning_rate',
      steps: 3,
      start: 'digits',
      environment: 'digits',
    },
    tinker: { learning_rate: 0 },
  },
];

const HEALTHY: readonly Seed[] = [
  { name: 'healthy-1', steps: 8, start: 'digits', environment: 'digits', env: { seed: 1 }, tinker: { seed: 1 } },
  {
    ...{ name: 'healthy-2', steps: 8, start: 'digits', environment: 'digits' },
    ...{ env: { seed: 2, group_size: 8, batch_size: 32 }, tinker: { seed: 2 } },
  },
  {
    ...{ name: 'healthy-ppo', steps: 8, start: 'digits', environment: 'digits' },
    ...{ env: { digit: '3' }, tinker: { loss: 'ppo', advantage: 'std_normalised' } },
  },
  {
    ...{ name: 'healthy-slow', steps: 8, start: 'digits', environment: 'digits' },
    ...{ tinker: { learning_rate: 5e-4 } },
  },
  {
    ...{ name: 'healthy-evaluated', steps: 8, start: 'digits', environment: 'digits' },
    ...{ env: { steps_per_eval: 3 }, tinker: { loss: 'cispo' } },
  },
  {
    ...{ name: 'healthy-async', steps: 8, start: 'digits', environment: 'digits' },
    ...{ env: { max_batches_offpolicy: 2 }, tinker: { mode: 'async', learning_rate: 1e-3 } },
  },
];

/** Twelve runs with a cause each, and six without. */
export const SEEDS: readonly Seed[] = [...SICK, ...HEALTHY];
