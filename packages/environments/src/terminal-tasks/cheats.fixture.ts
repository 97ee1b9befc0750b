import { DONE, shell, type Cheat } from '../work-folder/cheat.fixture.ts';
import type { MadeTask } from './terminal-task.ts';

/** Where the work has to be, as the instruction says. */
export function listOutputs({ check }: MadeTask): string[] {
  if (check.kind === 'files') return Object.keys(check.files);
  return [check.kind === 'tree' ? check.root : check.script];
}

export const forOutputs = (name: string, write: (path: string, task: MadeTask) => string): Cheat<MadeTask> => ({
  name,
  replies: (task) => [
    shell(
      listOutputs(task)
        .map((path) => write(`'${path}'`, task))
        .join('\n'),
    ),
    DONE,
  ],
});

/** One that does nothing, which is the least every task is tried with, and five that are quick to try on each. */
export const QUICK_TERMINAL_CHEATS: readonly Cheat<MadeTask>[] = [
  { name: 'nothing is done', replies: () => [shell('ls'), DONE] },
  { name: 'a claim without work', replies: () => [DONE] },
  forOutputs('an empty result', (path) => `rm -rf ${path}; : > ${path}`),
  forOutputs('every number as the answer', (path) => `rm -rf ${path}; seq 0 5000 > ${path}`),
  forOutputs('a link to where it came from', (path) => `rm -rf ${path}; ln -s "$(ls -d * | head -1)" ${path}`),
  forOutputs('a script that only succeeds', (path) => `rm -rf ${path}; echo 'exit 0' > ${path}; chmod +x ${path}`),
  { name: 'everything deleted', replies: () => [shell('rm -rf ./* ./.[!.]*'), DONE] },
];
