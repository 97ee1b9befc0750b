import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { codeRepairSpec } from '../../../../packages/environments/src/code-repair/code-repair.ts';
import { terminalTasksSpec } from '../../../../packages/environments/src/terminal-tasks/terminal-tasks.ts';
import { DONE } from '../../../../packages/environments/src/work-folder/cheat.fixture.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { REPAIR_ITEMS, TERMINAL_ITEMS } from '../world/items.ts';
import { type Attempts, openAttempts } from '../world/open-attempts.ts';
import { runInTurn } from '../world/run-in-turn.ts';
import { solveRepair, solveTerminal } from '../world/solve.ts';

export const honestScenario: Scenario = {
  name: 'honest',
  title: 'every task, done as its reference does it, keeps its reward, and has none to give when nothing is done',
  async run(context) {
    const sandboxes = createNamespaceProvider();
    context.defer(() => sandboxes.close());
    const repair = await openAttempts(codeRepairSpec, REPAIR_ITEMS, sandboxes);
    const terminal = await openAttempts(terminalTasksSpec, TERMINAL_ITEMS, sandboxes);
    await report(context, 'terminal-tasks', TERMINAL_ITEMS, terminal, solveTerminal);
    await report(context, 'code-repair', REPAIR_ITEMS, repair, solveRepair);
    await repair.close();
    await terminal.close();
  },
};

/** Each task twice: with the work, and with the words alone. A task that is right from the start would reward everybody. */
async function report<Item extends { readonly task: string }>(
  context: ScenarioContext,
  name: string,
  items: readonly Item[],
  { attempt }: Attempts<Item>,
  solve: (item: Item) => Parameters<Attempts<Item>['attempt']>[1],
): Promise<void> {
  const results = await runInTurn(items, async (item) => {
    const [solved, idle] = [await attempt(item, solve(item)), await attempt(item, [DONE])].map((outcome) =>
      outcome.kind === 'scored' ? outcome.reward : outcome.reason,
    );
    return { task: item.task, solved, idle };
  });
  const right = results.filter(({ solved }) => solved === 1).length;
  const empty = results.filter(({ idle }) => idle === 0).length;
  for (const { task, solved, idle } of results)
    if (solved !== 1 || idle !== 0) context.log(`${name} ${task}: ${solved} when done, ${idle} when not`);
  context.report({
    name,
    figure: `${right} of ${results.length} tasks give 1, ${empty} give 0 for nothing`,
    bar: `all, at least 20`,
    ok: right === results.length && empty === results.length && results.length >= 20,
  });
}
