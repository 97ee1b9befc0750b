import type { Scenario } from '../../../scenarios/scenario.ts';
import type { Attack } from '../cases/attack.ts';
import { ID_ATTACKS } from '../cases/id-attacks.ts';
import { INJECTION_ATTACKS } from '../cases/injection-attacks.ts';
import { PROCESS_ATTACKS } from '../cases/process-attacks.ts';
import { READING_ATTACKS } from '../cases/reading-attacks.ts';
import { SETTING_ATTACKS } from '../cases/setting-attacks.ts';
import { openWorlds, type World } from '../subject/open-world.ts';

const LEAST = 60;

/** Reading first: what it sees is what a person who only looks would have run. */
export const ATTACKS: readonly Attack[] = [
  ...PROCESS_ATTACKS.slice(0, 1),
  ...SETTING_ATTACKS,
  ...ID_ATTACKS,
  ...READING_ATTACKS,
  ...PROCESS_ATTACKS.slice(1),
  ...INJECTION_ATTACKS,
];

/** What the attacks got, by name. What broke is told apart: an attack that did not run as written held nothing. */
export async function runAttacks(world: World, attacks: readonly Attack[]): Promise<string[]> {
  const won = await runEach(world, attacks);
  if (world.isOwned()) won.push('code from outside the project ran');
  if (world.asked.length > 0) won.push(`a server was asked that must not be: ${world.asked[0]}`);
  if (world.leaked.length > 0) won.push(`a service was sent a secret that is not its own: ${world.leaked[0]}`);
  return won;
}

/** The same without what shows only in the world around. */
export async function runEach(world: World, attacks: readonly Attack[]): Promise<string[]> {
  await world.client.selectEnvironment('probe');
  const won: string[] = [];
  for (const attack of attacks) {
    const got = await attack.run(world).catch((error: unknown) => `it broke: ${String(error)}`);
    if (got !== undefined) won.push(`${attack.name}: ${got}`);
  }
  return won;
}

export const attackScenario: Scenario = {
  name: 'attacks',
  title: 'What an agent can reach through tools, resources, skills and `lachesis agent` that is not its own.',
  async run(context) {
    const [world] = await openWorlds(context, ['none']);
    if (world === undefined) throw new Error('no server was started');
    const won = await runAttacks(world, ATTACKS);
    for (const each of won) context.log(each);
    context.report({
      name: 'attacks of an agent',
      figure: `${won.length} of ${ATTACKS.length} succeed${won.length === 0 ? '' : ` (${won[0]?.slice(0, 120)})`}`,
      bar: `0 of ≥ ${LEAST}`,
      ok: won.length === 0 && ATTACKS.length >= LEAST,
    });
    const edited = await world.tools.rl_edit_config.run({ field: 'notes_path', value: 'data/notes.jsonl' });
    const plain = await world.tools.rl_edit_config.run({ field: 'style', value: 'long' });
    context.report({
      name: 'what an agent may set',
      figure: `${[edited, plain].filter(({ isFailure }) => !isFailure).length} of 2 set`,
      bar: 'an editable path of the project and a plain value',
      ok: !edited.isFailure && !plain.isFailure,
    });
  },
};
