import { join } from 'node:path';

import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { startProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { attackProvider } from '../world/attack-provider.ts';
import type { Canaries } from '../world/open-canaries.ts';
import { openCanaries } from '../world/open-canaries.ts';

/** Known ways out, from inside, one after another. */
export const escapeScenario: Scenario = {
  name: 'escapes',
  title: 'no known way out of a namespace sandbox reaches the host, its network or a neighbour',
  async run(context) {
    const canaries = await openCanaries(await context.scratch());
    context.defer(() => canaries.close());
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    context.report(await attackProvider({ provider, canaries, name: 'escapes', log: context.log }));
    await showInheritance(context, canaries);
  },
};

/** A descriptor that the program got from whoever started it, which Node would hand down to its children. */
async function showInheritance(context: ScenarioContext, canaries: Canaries): Promise<void> {
  const heir = join(import.meta.dirname, '../world/heir-process.ts');
  const script = 'exec 77< "$1"; exec "$2" --conditions=lachesis-source "$3"';
  const running = await startProcess({
    command: 'bash',
    args: ['-c', script, 'bash', canaries.file, process.execPath, heir],
  });
  context.defer(async () => running[Symbol.asyncDispose]());
  await running.exited;
  const isHanded = running.logs().includes(canaries.secret) || /^77$/m.test(running.logs());
  context.report({
    name: 'an inherited descriptor',
    figure: isHanded ? 'was handed down' : 'was not handed down',
    bar: 'not handed down',
    ok: !isHanded && /^0\n1\n2\n3$/m.test(running.logs()),
  });
}
