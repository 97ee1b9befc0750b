import type { ScriptedReply } from '@lachesis/sdk/environment';

import { findRepairTask, type RepairItem } from '../../../../packages/environments/src/code-repair/code-repair.ts';
import { fileOf, mend } from '../../../../packages/environments/src/code-repair/repair-task.ts';
import {
  makeTerminalTask,
  type TerminalItem,
} from '../../../../packages/environments/src/terminal-tasks/terminal-tasks.ts';
import { callTool } from '../../../../packages/environments/src/work-folder/call-tool.ts';
import { DONE, shell } from '../../../../packages/environments/src/work-folder/cheat.fixture.ts';

type Replies = readonly (string | ScriptedReply)[];

/** What an honest agent does. */
export function solveRepair(item: RepairItem): Replies {
  const task = findRepairTask(item);
  return [callTool('write_file', { path: fileOf(task), content: mend(task) }), DONE];
}

export const solveTerminal = (item: TerminalItem): Replies => [shell(makeTerminalTask(item).solution), DONE];
