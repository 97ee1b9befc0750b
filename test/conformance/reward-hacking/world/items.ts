import { REPAIR_TASKS, type RepairItem } from '../../../../packages/environments/src/code-repair/code-repair.ts';
import { TERMINAL_TASKS } from '../../../../packages/environments/src/terminal-tasks/tasks/terminal-tasks-list.ts';
import type { TerminalItem } from '../../../../packages/environments/src/terminal-tasks/terminal-tasks.ts';

export const REPAIR_ITEMS: readonly RepairItem[] = REPAIR_TASKS.map(({ name }) => ({ task: name }));

/** A seed that neither split has. */
export const TERMINAL_ITEMS: readonly TerminalItem[] = TERMINAL_TASKS.map(({ name }, at) => ({
  task: name,
  seed: 500_000 + at,
}));

/** One of each kind, for the short form: TypeScript, and Python in a repository. */
export const FEW_REPAIRS: readonly RepairItem[] = REPAIR_ITEMS.filter(({ task }) =>
  ['clamp', 'merge-intervals'].includes(task),
);

/** A file, a folder, a script. */
export const FEW_TERMINAL: readonly TerminalItem[] = TERMINAL_ITEMS.filter(({ task }) =>
  ['count-errors', 'rename-extension', 'write-counter'].includes(task),
);
