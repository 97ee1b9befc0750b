import { readCommitNumber } from '../../kit/read-commit-number.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { showSeeds } from './show-seeds.ts';
import { showTask } from './show-task.ts';
import { TASK_NAMES } from './tasks.ts';
import type { TaskName } from './tasks.ts';

const COMMIT_SEEDS = 10_000;
const seedOfCommit = (): number => readCommitNumber() % COMMIT_SEEDS;

/** What is chosen from: a task that passed in the present form with its mutants, and in eighteen of twenty seeds. */
const CHOICES: readonly TaskName[] = ['copy', 'lookup', 'majority', 'tool'];

/** `pnpm e2e learns`: answers that depend on the prompt are learnt, and judged by combinations that were never trained on. */
export const scenarios: Scenario[] = [
  {
    name: 'chosen',
    title:
      'one task, chosen by the commit: from chance to ≥ 0.8 on held-out combinations, and three seeded faults are caught',
    async run(context) {
      await showTask(context, CHOICES[readCommitNumber() % CHOICES.length] ?? 'copy', seedOfCommit());
    },
  },
  ...TASK_NAMES.map((name): Scenario => ({
    name,
    title: `${name} with its three faults, seed of the commit; over twenty seeds with --full`,
    run: (context) => (context.full ? showSeeds(context, name) : showTask(context, name, seedOfCommit())),
  })),
  ...TASK_NAMES.map((name): Scenario => ({
    name: `${name}-faults`,
    title: `${name} with its three faults at full length, seed of the commit (with --full alone)`,
    async run(context) {
      if (context.full) return showTask(context, name, seedOfCommit());
      context.reportNotRun({
        name: `${name}: faults`,
        why: `it takes minutes; \`learns/${name}\` has a short form`,
        bar: 'caught',
      });
    },
  })),
];
