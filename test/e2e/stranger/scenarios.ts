import { chooseSlice } from '../../kit/choose-slice.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import type { TypedPage } from '../../kit/type-page.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { endProcesses, listProcesses } from '../demo/list-processes.ts';
import { OLLAMA_PORT } from '../first-run/answer-as-ollama.ts';
import { followPage, reportPages } from '../first-run/follow-page.ts';
import { prepareMachine, type FreshMachine, type Place } from '../first-run/fresh-machine.ts';
import { answerPages } from './answer-pages.ts';
import { CHAINS, SHORT_CHAINS, type Chain } from './chains.ts';
import { captureOnNode20 } from './capture-on-node-20.ts';
import { readPacked } from './read-packed.ts';

/** `pnpm e2e stranger`: somebody who has the packages and the pages, and nothing else. */
export const scenarios: Scenario[] = [
  {
    name: 'packages',
    title: 'what would be published: nothing dead in it, a page on the registry, capture on Node 20',
    run: async (context) => {
      const machine = await prepareMachine(await context.scratch());
      const place = await install(context, machine);
      const { packages, faults } = await readPacked(machine.packages);
      context.report({
        name: 'packages as published',
        figure: `${packages} packages, ${faults.length} faults${faults.map((fault) => `; ${fault}`).join('')}`,
        bar: '8 packages, 0 faults',
        ok: packages === 8 && faults.length === 0,
      });
      await captureOnNode20(context, machine, place);
    },
  },
  {
    name: 'chosen',
    title: 'the guides of one subject, which the commit chooses, typed in one home; a wrong command is noticed',
    run: async (context) => typeChains(context, context.full ? allChains() : chooseSlice(SHORT_CHAINS, 1)),
  },
  ...allChains().map((chain): Scenario => ({
    name: chain,
    title: `typed in one home: ${CHAINS[chain].join(', ')}`,
    run: async (context) => typeChains(context, [chain]),
  })),
];

function allChains(): Chain[] {
  return Object.keys(CHAINS) as Chain[];
}

async function install(context: ScenarioContext, machine: FreshMachine): Promise<Place> {
  await followPage(context, machine, 'get-started/install.md', { place: await machine.openEmpty('installed') });
  return machine.openInstalled('stranger', { withModels: true });
}

async function typeChains(context: ScenarioContext, chains: readonly Chain[]): Promise<void> {
  const root = await context.scratch();
  context.defer(() => endProcesses(root));
  const machine = await prepareMachine(root);
  const place = await install(context, machine);
  const ollama = await startScriptedModel(answerPages, { port: OLLAMA_PORT });
  context.defer(() => ollama.close());
  const standIn = (command: string): string => command.replaceAll('https://openrouter.ai/api/v1', ollama.url);
  const pages: TypedPage[] = [];
  for (const file of chains.flatMap((chain) => CHAINS[chain])) {
    pages.push(await followPage(context, machine, file, { place, standIn }));
  }
  reportPages(context, pages, 2 * pages.length);
  const needing = pages.flatMap((page) => page.needing);
  context.log(`need an account or an engine: ${needing.join('; ') || 'none'}`);
  await showMutant(context, machine, chains);
  // The engine stays up for whoever comes back; the pages do not say that it has to go.
  const end = (): string => '```sh\nlachesis engine down\n```\n';
  await followPage(context, machine, 'guides/train.md', { place, change: end });
  const left = await listProcesses(root);
  context.report({ name: 'processes left', figure: String(left.length), bar: '0', ok: left.length === 0 });
}

/** A page in which the first command has one wrong letter. */
async function showMutant(context: ScenarioContext, machine: FreshMachine, chains: readonly Chain[]): Promise<void> {
  const place = await machine.openInstalled('mutant', { withModels: true });
  const file = chains.map((chain) => CHAINS[chain][0])[0]!;
  const { failed } = await followPage(context, machine, file, {
    place,
    change: (page) => page.replace(/^(```sh[^\n]*\n)(?:.*\n)*?```/m, '```sh\nlachesis trajectories lsit\n```'),
  });
  context.report({
    name: 'seeded fault: a wrong command in a page',
    figure: failed.length === 0 ? 'not caught' : `caught at \`${failed[0]?.command}\``,
    bar: 'caught',
    ok: failed.length === 1 && failed[0]?.command.includes('lsit') === true,
  });
}
