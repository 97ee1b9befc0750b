import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { followPage } from './follow-page.ts';
import { prepareMachine, type FreshMachine } from './fresh-machine.ts';

/** A machine on which docs/get-started/install.md was typed. */
export async function installPackages(context: ScenarioContext, root: string): Promise<FreshMachine> {
  const machine = await prepareMachine(root);
  await followPage(context, machine, 'get-started/install.md', { place: await machine.openEmpty('installed') });
  return machine;
}
