import { join } from 'node:path';
import { planScenario } from '../../seed/scenarios.ts';
import { seedHome } from '../../seed/seed-home.ts';

/** A home below this folder as `pnpm seed busy --small` makes it. Gives the home. */
export async function makeDashboardHome(root: string): Promise<string> {
  const home = join(root, 'home');
  await seedHome({ home, plan: planScenario('busy', { isSmall: true }) });
  return home;
}

export { RUNS } from '../../seed/scenarios.ts';
