import type { LibraryPlan } from './fill-library.ts';
import type { RunPlan } from './make-run.ts';

/** What a home is filled with. */
export interface SeedPlan {
  /** In a sentence, for whoever chooses. */
  title: string;
  runs: readonly RunPlan[];
  /** Groups of a step, and rollouts of a group. */
  groups: number;
  rollouts: number;
  /** Rows of runs that ended long ago and left nothing else. */
  oldRuns: number;
  library: LibraryPlan | undefined;
  /** People who have a token of their own. */
  tokens: readonly string[];
}

export const SCENARIO_NAMES = ['fresh', 'busy', 'failing', 'reward-hacking', 'huge', 'team'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** The run that most pages are opened on, and a shorter one to compare it with. */
export const RUNS = [
  { run: 'k3v9x0ab', steps: 40 },
  { run: 'm81qd2zz', steps: 12 },
] as const;

const [first, second] = RUNS;

/** Slow at first, fast in the middle, then full: how most runs learn that do. */
const learn =
  (from: number, to: number) =>
  (way: number): number =>
    from + (to - from) / (1 + Math.exp(-(way - 0.45) * 8));
const flat = (value: number) => (): number => value;

const learns: RunPlan = {
  ...{ ...first, environment: 'word-problems', hoursAgo: 9, skill: learn(0.12, 0.86) },
  measured: {
    'train/percent_correct': learn(0.1, 0.82),
    'eval/percent_correct': learn(0.12, 0.74),
    'train/truncated_rate': learn(0.16, 0.02),
  },
};
const shorter: RunPlan = {
  ...{
    ...second,
    totalSteps: 40,
    environment: 'word-problems',
    hoursAgo: 0,
    skill: learn(0.12, 0.9),
    parent: first.run,
  },
  ...{ learningRate: 0.0001, end: { state: 'running', reason: 'every process answers' } },
  measured: { 'train/percent_correct': learn(0.1, 0.86), 'eval/percent_correct': learn(0.12, 0.8) },
};
const library: LibraryPlan = { count: 24, people: ['ada'], unrated: 0.25, failing: 0.04, versions: 3 };
const none = { runs: [], groups: 4, rollouts: 8, oldRuns: 0, library: undefined, tokens: [] };

/** Each scenario; `isSmall` leaves its kind of thing and takes away its size, for tests. */
export function planScenario(name: ScenarioName, { isSmall }: { isSmall: boolean }): SeedPlan {
  const many = (count: number, few: number): number => (isSmall ? few : count);
  switch (name) {
    case 'fresh':
      return {
        ...none,
        title: 'the first day: three recorded chats and nothing else',
        library: { ...library, count: 3, unrated: 1, failing: 0, versions: 0 },
      };
    case 'busy':
      return {
        ...{
          ...none,
          title: 'a week of work: a run that learned, its fork that goes on, rated chats, a model and its gate',
        },
        ...{
          runs: [...(isSmall ? [] : OTHERS), learns, shorter],
          groups: many(6, 4),
          library: { ...library, count: many(120, 24) },
        },
      };
    case 'failing':
      return {
        ...none,
        title: 'what goes wrong: an engine that died, a reward of nothing, a stopped run, calls that failed',
        runs: failing(many(24, 4)),
        library: { ...library, failing: 0.4, count: many(60, 24) },
      };
    case 'reward-hacking':
      return {
        ...none,
        title: 'the reward rises and the evaluations fall: replies that praise themselves',
        runs: hacking(many(40, 6)),
        library: { ...library, count: many(40, 8), versions: 0 },
      };
    case 'huge':
      return {
        ...{ ...none, title: 'ten thousand runs, ten thousand trajectories, a run of five hundred steps' },
        ...{ runs: [{ ...learns, run: 'hugerun1', steps: many(500, 6) }], groups: many(8, 2), rollouts: many(16, 4) },
        ...{ oldRuns: many(10_000, 20), library: { ...library, count: many(10_000, 20), unrated: many(0.95, 0.5) } },
      };
    case 'team':
      return {
        ...{
          ...none,
          title: 'five people who rate and do not always agree, several models, a promotion that was taken back',
        },
        runs: isSmall ? [{ ...learns, steps: 4 }] : [...OTHERS, learns, shorter],
        library: {
          ...library,
          count: many(240, 24),
          people: ['ada', 'grace', 'alan', 'edsger', 'barbara'],
          versions: many(5, 3),
          isRolledBack: true,
        },
        tokens: ['ada', 'grace', 'alan', 'edsger', 'barbara', 'ci', 'old laptop'],
      };
  }
}

/** What a week leaves behind: of several environments, ended in several ways. */
const OTHERS: readonly RunPlan[] = [
  {
    ...{ run: 'b7t2wq5c', environment: 'order-desk', steps: 30, hoursAgo: 122, skill: learn(0.2, 0.92) },
    measured: { 'train/percent_correct': learn(0.2, 0.9) },
  },
  {
    ...{ run: 'd0n4hv8r', environment: 'summaries', steps: 18, totalSteps: 60, hoursAgo: 70, skill: learn(0.1, 0.7) },
    end: { state: 'stopped', reason: 'ada stopped it: the summaries get longer and not better' },
  },
  {
    ...{
      run: 'q5z1kfe9',
      environment: 'word-problems',
      steps: 24,
      hoursAgo: 51,
      skill: learn(0.12, 0.4),
      learningRate: 0.00001,
    },
    measured: { 'train/percent_correct': learn(0.1, 0.36), 'eval/percent_correct': learn(0.12, 0.33) },
  },
  {
    ...{
      run: 'x2c8mp6j',
      environment: 'order-desk',
      steps: 9,
      totalSteps: 30,
      hoursAgo: 28,
      skill: learn(0.2, 0.6),
      parent: 'b7t2wq5c',
    },
    end: { state: 'failed', reason: 'the engine did not answer for 300 s; it was asked 12 times' },
    lastLine: 'error: the engine did not answer for 300 s; it was asked 12 times',
  },
];

function failing(steps: number): RunPlan[] {
  return [
    {
      ...{ run: 'f1dead00', environment: 'word-problems', steps, hoursAgo: 60, skill: flat(0) },
      measured: { 'train/percent_correct': flat(0), 'train/truncated_rate': flat(0.9) },
      end: { state: 'completed', reason: 'it made its last step' },
    },
    {
      ...{
        run: 'f2drift0',
        environment: 'word-problems',
        steps,
        totalSteps: steps * 2,
        hoursAgo: 40,
        skill: learn(0.3, 0.2),
        drift: 1.6,
        learningRate: 0.004,
      },
      end: { state: 'failed', reason: 'kl is 0.214 at step 24, above 0.1: lower the learning rate' },
      lastLine: 'error: kl is 0.214, above 0.1: lower the learning rate. Set on_alarm to warn to go on.',
    },
    {
      ...{
        run: 'f3engine',
        environment: 'order-desk',
        steps,
        totalSteps: steps * 3,
        hoursAgo: 20,
        skill: learn(0.2, 0.9),
      },
      end: { state: 'failed', reason: 'the engine did not answer for 300 s; it was asked 12 times' },
      lastLine: 'error: the engine did not answer for 300 s; it was asked 12 times',
    },
    {
      ...{
        run: 'f4stop00',
        environment: 'summaries',
        steps,
        totalSteps: steps * 2,
        hoursAgo: 5,
        skill: learn(0.1, 0.5),
      },
      end: { state: 'stopped', reason: 'it was stopped by a person' },
    },
  ];
}

function hacking(steps: number): RunPlan[] {
  return [
    {
      ...{ run: 'h4ckedup', environment: 'summaries', steps, hoursAgo: 3, skill: learn(0.05, 1) },
      measured: {
        'eval/percent_correct': learn(0.62, 0.18),
        'eval/mean_reward': learn(0.6, 0.2),
        'train/percent_correct': learn(0.6, 0.25),
      },
    },
    {
      ...{ run: 'h0nest00', environment: 'summaries', steps, hoursAgo: 30, skill: learn(0.05, 0.3) },
      measured: { 'eval/percent_correct': learn(0.6, 0.66) },
    },
  ];
}
