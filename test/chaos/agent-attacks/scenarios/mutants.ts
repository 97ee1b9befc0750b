import type { Scenario } from '../../../scenarios/scenario.ts';
import type { Attack, Rule } from '../cases/attack.ts';
import { openWorlds } from '../subject/open-world.ts';
import { ATTACKS, runEach } from './attacks.ts';

/** A control server with one rule taken out, and the attacks that rule holds. */
export const MUTANTS = {
  'kinds ignored': 'kinds',
  'recipe not locked': 'lock',
  'real path not checked': 'path',
  'egress rule absent': 'url',
  'whole environment passed': 'variables',
} as const satisfies Record<string, Rule>;

export type Mutant = keyof typeof MUTANTS;

/** Enough to find it out. */
const MOST = 5;

export const mutantScenario: Scenario = {
  name: 'mutants',
  title: 'Control servers with one rule taken out are found out.',
  async run(context) {
    const mutants = Object.entries(MUTANTS) as [Mutant, Rule][];
    const worlds = await openWorlds(
      context,
      mutants.map(([mutant]) => mutant),
    );
    for (const [index, [mutant, rule]] of mutants.entries()) {
      const world = worlds[index];
      if (world === undefined) throw new Error(`${mutant} was not started`);
      const attacks: Attack[] = ATTACKS.filter((each) => each.rule === rule).slice(0, rule === 'variables' ? 1 : MOST);
      const won = await runEach(world, attacks);
      context.report({
        name: `mutant: ${mutant}`,
        figure: `${won.length} of ${attacks.length} attacks succeed`,
        bar: 'caught: ≥ 1',
        ok: won.length > 0 && !won.every((each) => each.includes('it broke')),
      });
    }
  },
};
