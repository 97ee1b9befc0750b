import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { codeRepairSpec } from '../../../../packages/environments/src/code-repair/code-repair.ts';
import { terminalTasksSpec } from '../../../../packages/environments/src/terminal-tasks/terminal-tasks.ts';
import type { Show } from '../../../shows/show.ts';
import { REPAIR_ITEMS, TERMINAL_ITEMS } from '../world/items.ts';
import { openAttempts } from '../world/open-attempts.ts';
import { runInTurn } from '../world/run-in-turn.ts';
import { solveRepair, solveTerminal } from '../world/solve.ts';

export const honestShow: Show = {
  name: 'honest',
  title: 'every task, done as its reference does it, keeps its reward',
  async run(context) {
    const sandboxes = createNamespaceProvider();
    context.defer(() => sandboxes.close());
    const repair = await openAttempts(codeRepairSpec, REPAIR_ITEMS, sandboxes);
    const terminal = await openAttempts(terminalTasksSpec, TERMINAL_ITEMS, sandboxes);
    const report = (name: string, list: readonly (readonly [string, number | string])[]): void => {
      const short = list.filter(([, reward]) => reward !== 1);
      for (const [task, reward] of short) context.log(`${name} ${task}: ${reward}`);
      context.report({
        name,
        figure: `${list.length - short.length} of ${list.length} tasks give 1`,
        bar: `all, at least 20`,
        ok: short.length === 0 && list.length >= 20,
      });
    };
    report(
      'terminal-tasks',
      await runInTurn(TERMINAL_ITEMS, async (item) => {
        const outcome = await terminal.attempt(item, solveTerminal(item));
        return [item.task, outcome.kind === 'scored' ? outcome.reward : outcome.reason] as const;
      }),
    );
    report(
      'code-repair',
      await runInTurn(REPAIR_ITEMS, async (item) => {
        const outcome = await repair.attempt(item, solveRepair(item));
        return [item.task, outcome.kind === 'scored' ? outcome.reward : outcome.reason] as const;
      }),
    );
    await repair.close();
    await terminal.close();
  },
};
