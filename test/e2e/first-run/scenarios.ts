import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { chooseSlice } from '../../kit/choose-slice.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import type { TypedPage } from '../../kit/type-page.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { judgeCurve } from '../demo/judge-curve.ts';
import { endProcesses, listProcesses } from '../demo/list-processes.ts';
import { answerAsOllama, OLLAMA_PORT } from './answer-as-ollama.ts';
import { bringAtropos } from './bring-atropos.ts';
import { followPage, reportPages, type FollowOptions } from './follow-page.ts';
import { prepareMachine, type FreshMachine, type Place } from './fresh-machine.ts';
import { gainOf, HELD_OUT_BY, RISEN_BY, trainWithTenTools } from './train-with-ten-tools.ts';
import { useHub } from './use-hub.ts';

/** What a served model has to get better by on the guide's own count. */
const GAIN = 0.25;
const TOOLS = 10;
const FIRST_VALUE_SECONDS = 60;

/** Pages that train one after another. A commit has time for one of these, by its hash; `--full` for all. */
const ENGINE_PAGES: readonly (readonly string[])[] = [
  ['get-started/demo.md'],
  ['get-started/your-own-environment.md', 'get-started/from-atropos.md'],
  ['guides/learn-from-feedback.md'],
];

/** `pnpm e2e first-run`: what a stranger meets, from the packed packages, on a machine that has never seen Lachesis. */
export const scenarios: Scenario[] = [
  {
    name: 'fresh-machine',
    title: 'packages, an empty home, no variables of ours: every page of get-started and the feedback guide, typed',
    run: async (context) => {
      const root = await context.scratch();
      context.defer(() => endProcesses(root));
      const machine = await prepareMachine(root);
      const pages: TypedPage[] = [];
      const follow = async (file: string, options: FollowOptions = {}): Promise<TypedPage> => {
        const typed = await followPage(context, machine, file, options);
        pages.push(typed);
        return typed;
      };

      const installed = await follow('get-started/install.md', { place: await machine.openEmpty('installed') });
      const ollama = await startScriptedModel(answerAsOllama, { port: OLLAMA_PORT });
      context.defer(() => ollama.close());
      const recording = await machine.openInstalled('recording');
      const recorded = await follow('get-started/record-your-agent.md', { place: recording });
      await showRecording(context, recording);
      showFirstValue(context, [...installed.commands, ...recorded.commands]);
      await follow('get-started/trajectory-api.md');
      await showHub(context, machine);
      const chosen = context.full ? ENGINE_PAGES : chooseSlice(ENGINE_PAGES, 1);
      for (const file of chosen.flat()) {
        const prepare = file === 'get-started/from-atropos.md' ? { prepare: bringAtropos } : {};
        // The demo makes its model by itself; for the other pages one lies ready.
        const typed = await follow(file, { withModels: file !== 'get-started/demo.md', ...prepare });
        if (file === 'get-started/demo.md') showDemo(context, typed);
        if (file === 'guides/learn-from-feedback.md') showGuide(context, typed);
      }
      for (const file of ENGINE_PAGES.filter((each) => !chosen.includes(each)).flat()) {
        context.reportNotRun({ name: `docs/${file}`, why: 'typed for another commit, and by --full', bar: '0 fail' });
      }
      reportPages(context, pages, context.full ? 50 : 24);

      await showTools(context, machine);
      await showMutants(context, machine);
      const left = await listProcesses(root);
      context.report({ name: 'processes left', figure: String(left.length), bar: '0', ok: left.length === 0 });
    },
  },
];

function showDemo(context: ScenarioContext, { commands }: TypedPage): void {
  const output = commands.at(-1)?.output ?? '';
  const rewards = [...output.matchAll(/^ +step +\d+\/\d+ +reward ([\d.]+)/gm)].map(([, reward]) => Number(reward));
  const { figure, ok } = judgeCurve(rewards);
  context.report({ name: 'demo from the packages', figure, bar: '≤ 0.2 → ≥ 0.9', ok });
}

/** What the page exports at its end is what the agent did: one conversation, with its call of the tool. */
async function showRecording(context: ScenarioContext, { folder }: Place): Promise<void> {
  const text = await readFile(join(folder, 'agent.jsonl'), 'utf8').catch(() => '');
  const rows = text.split('\n').filter((line) => line !== '');
  const isWhole = rows.length === 1 && rows[0]!.includes('tool_call') && rows[0]!.includes('sum=42');
  context.report({
    name: 'an agent recorded, rated and exported',
    figure: `${rows.length} rows, ${isWhole ? 'with its call and its answer' : 'not what it did'}`,
    bar: '1, with its call and its answer',
    ok: isWhole,
  });
}

/** From the packed files to the first rating of a recorded call, without the time of reading. */
function showFirstValue(context: ScenarioContext, commands: readonly TypedPage['commands'][number][]): void {
  const rated = commands.findIndex(({ command }) => command.includes('feedback add'));
  const seconds = commands.slice(0, rated + 1).reduce((sum, each) => sum + each.seconds, 0);
  context.report({
    name: 'first value: a call recorded and rated',
    figure: rated === -1 ? 'never' : `${seconds.toFixed(0)} s of commands, from the packed files`,
    bar: `≤ ${FIRST_VALUE_SECONDS} s`,
    ok: rated !== -1 && seconds <= FIRST_VALUE_SECONDS,
  });
}

function showGuide(context: ScenarioContext, { commands }: TypedPage): void {
  const output = commands.map((command) => command.output).join('\n');
  const [before, after] = [...output.matchAll(/^(\d+) of (\d+) answers are lists$/gm)].map(
    ([, lists, all]) => Number(lists) / Number(all),
  );
  const isPromoted = /^talker: promoted/m.test(output);
  context.report({
    name: 'learn from feedback',
    figure: `${isPromoted ? 'promoted' : 'not promoted'}, lists ${before?.toFixed(2) ?? 'never'} → ${after?.toFixed(2) ?? 'never'}`,
    bar: `promoted, +${GAIN}`,
    ok: isPromoted && before !== undefined && after !== undefined && after - before >= GAIN,
  });
}

async function showTools(context: ScenarioContext, machine: FreshMachine): Promise<void> {
  const place = await machine.openInstalled('tools', { withModels: true });
  const { tools, rewards, risen, status, weightsPath, heldOut } = await trainWithTenTools(place, context.log);
  context.report({
    name: 'ten tools over MCP, tokens on',
    figure: `${tools.length} tools, ${status}, reward ${rewards[0]?.toFixed(3) ?? 'never'} → ${rewards.at(-1)?.toFixed(3) ?? 'never'} in ${rewards.length} steps (+${risen.toFixed(3)}), ${weightsPath === null ? 'no weights' : 'weights'}`,
    bar: `${TOOLS} tools, +${RISEN_BY}, weights`,
    ok: tools.length === TOOLS && risen >= RISEN_BY && weightsPath !== null,
  });
  context.report({
    name: 'prompts that were not trained on',
    figure: `${heldOut.map((reward) => reward.toFixed(3)).join(', ')} (+${gainOf(heldOut).toFixed(3)})`,
    bar: `+${HELD_OUT_BY}`,
    ok: gainOf(heldOut) >= HELD_OUT_BY,
  });
}

async function showHub(context: ScenarioContext, machine: FreshMachine): Promise<void> {
  const { tokens, fetched, same, isFoundByTheirs } = await useHub(machine);
  context.report({
    name: 'a tokenizer by its name on a hub',
    figure: `${tokens} tokens; ${same} of ${fetched} files as huggingface_hub gets them; its cache ${isFoundByTheirs ? 'is shared' : 'is another'}`,
    bar: 'tokens, all files the same, shared',
    ok: tokens > 0 && fetched > 0 && same === fetched && isFoundByTheirs,
  });
}

/** The reader must notice: a package that is missing in the installed tree, and one letter in a page. */
async function showMutants(context: ScenarioContext, machine: FreshMachine): Promise<void> {
  const tokenizers = join(machine.packages, 'node_modules', 'tokenizers');
  await rename(tokenizers, `${tokenizers}-away`);
  const onlyDoctor = (): string => ['```sh', 'lachesis doctor', '```', ''].join('\n');
  const without = await followPage(context, machine, 'get-started/install.md', { change: onlyDoctor });
  await rename(`${tokenizers}-away`, tokenizers);
  const slip = await followPage(context, machine, 'get-started/trajectory-api.md', {
    change: (page) => page.replace('--scope env:push', '--scop env:push'),
  });
  const tell = (name: string, { failed }: TypedPage, word: string): void => {
    const isCaught = failed.length === 1 && failed[0]?.output.includes(word) === true;
    context.report({
      name: `seeded fault: ${name}`,
      figure: isCaught ? `caught at \`${failed[0]?.command}\`` : 'not caught',
      bar: 'caught',
      ok: isCaught,
    });
  };
  tell('tokenizers taken out of the installed tree', without, 'tokenizers');
  tell('a misspelt flag in a page', slip, 'wants --scope');
}
