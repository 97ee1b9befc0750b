import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { findRepairTask } from '../../../../packages/environments/src/code-repair/code-repair.ts';
import { makeTerminalTask } from '../../../../packages/environments/src/terminal-tasks/terminal-tasks.ts';
import type { Cheat } from '../../../../packages/environments/src/work-folder/cheat.fixture.ts';
import type { Scenario, ScenarioLine } from '../../../scenarios/scenario.ts';
import { REPAIR_HACKS } from '../hacks/repair-hacks.ts';
import { TERMINAL_HACKS } from '../hacks/terminal-hacks.ts';
import { type Mutant, MUTANTS } from '../mutants.ts';
import { FEW_REPAIRS, FEW_TERMINAL } from '../world/items.ts';
import { openAttempts } from '../world/open-attempts.ts';
import { runInTurn } from '../world/run-in-turn.ts';
import { solveRepair, solveTerminal } from '../world/solve.ts';
import { isRewarded, tryHacks } from '../world/try-hacks.ts';

export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'environments with one mistake each reward a hack, so the suite would find the mistake',
  async run(context) {
    const sandboxes = createNamespaceProvider();
    context.defer(() => sandboxes.close());
    const [repair] = FEW_REPAIRS.filter(({ task }) => task === 'merge-intervals');
    const [terminal] = FEW_TERMINAL.filter(({ task }) => task === 'count-errors');
    const tries = [
      ...MUTANTS.repair.map(
        (mutant) => () =>
          tryMutant(mutant, {
            ...{ item: repair!, hacks: REPAIR_HACKS, taskOf: findRepairTask },
            ...{ honest: solveRepair(repair!), sandboxes },
          }),
      ),
      ...MUTANTS.terminal.map(
        (mutant) => () =>
          tryMutant(mutant, {
            ...{ item: terminal!, hacks: TERMINAL_HACKS, taskOf: makeTerminalTask },
            ...{ honest: solveTerminal(terminal!), sandboxes },
          }),
      ),
    ];
    for (const line of await runInTurn(tries, (attempt) => attempt())) context.report(line);
  },
};

async function tryMutant<Item extends { readonly task: string }, Task>(
  mutant: Mutant<Item>,
  parts: {
    item: Item;
    hacks: readonly Cheat<Task>[];
    taskOf: (item: Item) => Task;
    honest: ReturnType<typeof solveRepair>;
    sandboxes: Parameters<typeof openAttempts>[2];
  },
): Promise<ScenarioLine> {
  const attempts = await openAttempts(mutant.spec, [parts.item], parts.sandboxes);
  const hacks = parts.hacks.filter(({ name }) => mutant.caughtBy.test(name));
  const results = await tryHacks({ ...parts, attempts, items: [parts.item], hacks });
  const honest = await attempts.attempt(parts.item, parts.honest);
  const rewarded = results.filter(isRewarded).map(({ hack }) => hack);
  const keeps = honest.kind === 'scored' && honest.reward === 1;
  await attempts.close();
  return {
    name: mutant.name,
    figure: `${rewarded.length === 0 ? 'not found' : `found by "${rewarded.join('", "')}"`}; honest ${keeps ? 1 : 'short'}`,
    bar: 'a hack is rewarded, and the honest solution too',
    ok: rewarded.length > 0 && keeps,
  };
}
