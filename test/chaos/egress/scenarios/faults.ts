import type { Scenario } from '../../../scenarios/scenario.ts';
import type { Fault } from '../world/faults.ts';
import { openWorld } from '../world/open-world.ts';
import { playTricks, TRICKS } from './tricks.ts';

/** A proxy with one thing wrong, and how the tricks begin that it falls for. */
const FALLEN_FOR: Readonly<Record<Fault, RegExp>> = {
  'resolves twice': /^asks rebind/,
  'does not normalise': /^asks "(?:2130706433|0x7f000001|0177\.0\.0\.1|\[::ffff:127\.0\.0\.1\])"$/,
  'forwards duplicates': /^two (?:equal )?lengths$|^a length and chunks$/,
  'believes the host header': /^another host$/,
};

export const faultScenario: Scenario = {
  name: 'faults',
  title: 'Proxies that get one thing wrong are found out by the same tricks.',
  async run(context) {
    for (const [fault, names] of Object.entries(FALLEN_FOR) as [Fault, RegExp][]) {
      const world = await openWorld(context, fault);
      const tricks = TRICKS.filter(({ name }) => names.test(name));
      const won = await playTricks(world, tricks);
      const reached = won.filter((each) => !each.endsWith('nothing was answered'));
      context.report({
        name: `fault: ${fault}`,
        figure: `${reached.length} of ${tricks.length} get through`,
        bar: 'caught: ≥ 1',
        ok: reached.length > 0,
      });
    }
  },
};
