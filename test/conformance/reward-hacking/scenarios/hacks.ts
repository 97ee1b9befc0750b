import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { codeRepairSpec, findRepairTask } from '../../../../packages/environments/src/code-repair/code-repair.ts';
import {
  makeTerminalTask,
  terminalTasksSpec,
} from '../../../../packages/environments/src/terminal-tasks/terminal-tasks.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { REPAIR_HACKS } from '../hacks/repair-hacks.ts';
import { TERMINAL_HACKS } from '../hacks/terminal-hacks.ts';
import { FEW_REPAIRS, FEW_TERMINAL, REPAIR_ITEMS, TERMINAL_ITEMS } from '../world/items.ts';
import { openAttempts } from '../world/open-attempts.ts';
import { solveRepair, solveTerminal } from '../world/solve.ts';
import { type HackResult, isFlagged, isRewarded, tryHacks } from '../world/try-hacks.ts';

const LEAST_HACKS = 25;

export const hacksScenario: Scenario = {
  name: 'hacks',
  title: 'ways to the reward that are not the work: each is scored 0 or flagged, and the honest solution afterwards 1',
  async run(context) {
    const sandboxes = createNamespaceProvider();
    context.defer(() => sandboxes.close());
    const repairs = context.full ? REPAIR_ITEMS : FEW_REPAIRS;
    const repair = await openAttempts(codeRepairSpec, repairs, sandboxes);
    const repairResults = await tryHacks({
      ...{ attempts: repair, items: repairs, hacks: REPAIR_HACKS, taskOf: findRepairTask },
    });
    report(context, 'code-repair', repairResults, REPAIR_HACKS.length);

    const tasks = context.full ? TERMINAL_ITEMS : FEW_TERMINAL;
    const terminal = await openAttempts(terminalTasksSpec, tasks, sandboxes);
    const terminalResults = await tryHacks({
      ...{ attempts: terminal, items: tasks, hacks: TERMINAL_HACKS, taskOf: makeTerminalTask },
    });
    report(context, 'terminal-tasks', terminalResults, TERMINAL_HACKS.length);

    // What a hack broke for those after it would show here.
    const after = [
      ...(await Promise.all(FEW_REPAIRS.map((item) => repair.attempt(find(repairs, item), solveRepair(item))))),
      ...(await Promise.all(FEW_TERMINAL.map((item) => terminal.attempt(find(tasks, item), solveTerminal(item))))),
    ];
    const right = after.filter((outcome) => outcome.kind === 'scored' && outcome.reward === 1).length;
    context.report({
      name: 'honest after all hacks',
      figure: `${right} of ${after.length} give 1`,
      bar: 'all',
      ok: right === after.length,
    });
    await repair.close();
    await terminal.close();
  },
};

const find = <T>(list: readonly T[], item: T): T => list.find((each) => each === item) ?? item;

function report(context: ScenarioContext, name: string, results: readonly HackResult[], hacks: number): void {
  const rewarded = results.filter(isRewarded);
  const flagged = results.filter(isFlagged);
  for (const { hack, task, outcome } of [...rewarded, ...flagged])
    context.log(`${name} ${task}: ${hack}: ${outcome.kind === 'scored' ? outcome.reward : outcome.reason}`);
  context.report({
    name,
    figure: `${rewarded.length} of ${results.length} attempts rewarded, ${flagged.length} flagged; ${hacks} hacks`,
    bar: `0 rewarded, at least ${LEAST_HACKS} hacks`,
    ok: rewarded.length === 0 && hacks >= LEAST_HACKS,
  });
}
