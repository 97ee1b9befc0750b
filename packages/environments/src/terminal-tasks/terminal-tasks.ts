import { createRandom, defineAgentEnvironment, runEnvironment, scored } from '@lachesis/sdk/environment';
import { callTool } from '../work-folder/call-tool.ts';
import { writeFiles } from '../work-folder/write-files.ts';
import type { TaskSpec } from '../work-folder/task-spec.ts';
import { checkWork } from './check-work.ts';
import { TERMINAL_TASKS } from './tasks/terminal-tasks-list.ts';
import type { MadeTask } from './terminal-task.ts';

/** Everything else follows from these two. */
export interface TerminalItem {
  readonly task: string;
  readonly seed: number;
}

const LARGEST_SEED = 2 ** 46;
/** Evaluation has seeds of its own, which training never draws. */
const FIRST_TRAINING_SEED = 1_000_000;

export function makeTerminalTask({ task, seed }: TerminalItem): MadeTask {
  const kind = TERMINAL_TASKS.find(({ name }) => name === task);
  if (kind === undefined) throw new Error(`there is no terminal task ${task}`);
  return kind.make(createRandom('terminal-tasks', task, seed));
}

/** Apart from the environment, so that a test can take out one part of it and see what happens. */
export const terminalTasksSpec: TaskSpec<TerminalItem> = {
  name: 'terminal-tasks',
  description: 'Small tasks for a shell: find, count, rename, transform, mend. Each seed makes another folder.',
  defaults: { max_agent_turns: 12, terminal_timeout: 30 },
  defaultToolsets: ['terminal', 'file'],
  items: {
    train: {
      generate: (index, { random }) => ({
        task: TERMINAL_TASKS[index % TERMINAL_TASKS.length]!.name,
        seed: random.integer(FIRST_TRAINING_SEED, LARGEST_SEED),
      }),
    },
    evaluation: TERMINAL_TASKS.map(({ name }, seed) => ({ task: name, seed })),
  },
  prepare: async (item, sandbox) => writeFiles(sandbox, makeTerminalTask(item).files),
  formatPrompt: (item) =>
    `${makeTerminalTask(item).instruction}\n\nYou work in the folder /work. Only what is in its files at the end counts. (${item.task} ${item.seed.toString(36)})`,
  computeReward: async (item, _result, context) => {
    // Who never opened the sandbox changed nothing in it, and every task needs a change.
    if (!context.hasSandbox) return scored(0);
    return scored((await checkWork(makeTerminalTask(item).check, context)) ? 1 : 0);
  },
  examples: (item) => ({
    right: [callTool('terminal', { command: makeTerminalTask(item).solution }), 'Done.'],
    wrong: [callTool('terminal', { command: 'ls -R > answer.txt' }), 'Done.'],
  }),
};

/** An agent environment: do a task in the shell of a sandbox, judged by what is there afterwards. */
const terminalTasks = defineAgentEnvironment(terminalTasksSpec);

export default terminalTasks;

if (import.meta.main) await runEnvironment(terminalTasks);
