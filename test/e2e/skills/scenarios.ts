import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { listSkills, SKILL_FILE, type Skill } from '../../../packages/cli/src/agent/skills/skill.ts';
import { chooseSlice } from '../../kit/choose-slice.ts';
import { listFollowedBlocks } from '../../kit/leave-out-block.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import { typePage, type TypedPage } from '../../kit/type-page.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { endProcesses, listProcesses } from '../demo/list-processes.ts';
import { followPage, reportPages } from '../first-run/follow-page.ts';
import { prepareMachine, type FreshMachine } from '../first-run/fresh-machine.ts';
import { answerSkills } from './answer-skills.ts';
import { checkMarks } from './check-marks.ts';
import { checkVersions } from './check-versions.ts';
import { followSkill } from './follow-skill.ts';
import { checkAxolotl } from './check-axolotl.ts';
import { GOALS, WITH_ENGINE, type OwnSkill } from './goals.ts';
import { trainTrl } from './train-trl.ts';

const OWN = Object.keys(GOALS) as OwnSkill[];
/** What a commit has time for. */
const CHEAP = OWN.filter((name) => !WITH_ENGINE.includes(name));

/** `pnpm e2e skills`: the guides are followed to the letter, by somebody who has the packages and nothing else. */
export const scenarios: Scenario[] = [
  {
    name: 'chosen',
    title:
      'marks, versions and `lachesis skills` as typed; of the guides those that the commit chooses, all with --full',
    run: async (context) => {
      const skills = await listSkills();
      const others = skills.filter(({ name }) => !(name in GOALS));
      await checkMarks(context, skills);
      await checkVersions(context, context.full ? skills : chooseSlice(others, 3));
      const bench = await install(context);
      await typeCommands(context, bench);
      await followOthers(context, bench, context.full ? others : chooseSlice(others, 2));
      if (context.full) await checkAxolotl(context);
      if (context.full) await trainTrl(context);
      for (const name of context.full ? OWN : chooseSlice(CHEAP, 1)) await showGoal(context, bench, name);
    },
  },
  ...OWN.map((name): Scenario => ({
    name,
    title: `${name}: its commands reach the goal, and without any one block they do not`,
    run: async (context) => showGoal(context, await install(context), name),
  })),
  {
    name: 'hand-offs',
    title: 'what is written for other trainers is accepted by them',
    run: async (context) => {
      await checkAxolotl(context);
      await trainTrl(context);
    },
  },
  {
    name: 'others',
    title: 'the guides about other programs: what is not marked is typed',
    run: async (context) => {
      const others = (await listSkills()).filter(({ name }) => !(name in GOALS));
      await checkVersions(context, others);
      await followOthers(context, await install(context), others);
    },
  },
];

interface Bench {
  readonly machine: FreshMachine;
  readonly modelUrl: string;
}

async function install(context: ScenarioContext): Promise<Bench> {
  const root = await context.scratch();
  context.defer(() => endProcesses(root));
  const machine = await prepareMachine(root);
  await followPage(context, machine, 'get-started/install.md', { place: await machine.openEmpty('installed') });
  const model = await startScriptedModel(answerSkills);
  context.defer(() => model.close());
  return { machine, modelUrl: model.url };
}

const COMMANDS = `\`\`\`sh
lachesis skills browse
lachesis skills browse training
lachesis skills search grpo | grep grpo-rl-training
lachesis skills view axolotl
lachesis skills install official/mlops/axolotl
lachesis skills install axolotl --for claude
echo mine >> .claude/skills/axolotl/SKILL.md
lachesis skills update | grep 'changed by hand'
lachesis skills check axolotl
test "$(lachesis skills view axolotle 2>&1)" = 'lachesis: there is no skill "axolotle". Did you mean axolotl?'
test "$(lachesis skills browse | awk 'length > 80' | wc -l)" = 0
\`\`\`
`;

async function typeCommands(context: ScenarioContext, { machine }: Bench): Promise<void> {
  const place = await machine.openInstalled('commands');
  const { commands, failed } = await typePage({ ...place, page: COMMANDS, log: (text) => context.log(text) });
  context.report({
    name: 'lachesis skills as a new user types it',
    figure: `${commands.length} commands, ${failed.length} fail${failed.map(({ command }) => `; ${command}`).join('')}`,
    bar: '11 commands, 0 fail',
    ok: commands.length === 11 && failed.length === 0,
  });
}

async function followOthers(context: ScenarioContext, bench: Bench, skills: readonly Skill[]): Promise<void> {
  const pages: TypedPage[] = [];
  // What comes from a registry takes a while, and there may be none.
  const change = (page: string): string => (context.full ? page.replaceAll('```sh needs=packages', '```sh') : page);
  for (const skill of skills) {
    const page = await followSkill(context, bench.machine, { skill, change, modelUrl: bench.modelUrl });
    if (page !== undefined) pages.push(page);
  }
  context.log(`marked: ${pages.flatMap(({ needing }) => needing).join('; ')}`);
  reportPages(context, pages, pages.length);
}

/** Every block is needed: without it the goal is missed. A commit leaves out one, `--full` each in turn. */
async function showGoal(context: ScenarioContext, { machine, modelUrl }: Bench, name: OwnSkill): Promise<void> {
  const skill = (await listSkills()).find((each) => each.name === name)!;
  const goal = GOALS[name];
  const page = await readFile(join(skill.folder, SKILL_FILE), 'utf8');
  const whole = await followSkill(context, machine, { skill, goal, modelUrl });
  const [fault] = whole?.failed ?? [];
  context.report({
    name,
    figure:
      fault === undefined && whole !== undefined
        ? `reached by ${whole.commands.length - 1} commands and ${whole.files} files`
        : `missed at \`${fault?.command}\`: ${fault?.output.slice(-300).trim()}`,
    bar: 'reached',
    ok: whole !== undefined && fault === undefined,
  });
  const blocks = listFollowedBlocks(page);
  const left = context.full ? blocks : chooseSlice(blocks, 1);
  const needless: number[] = [];
  for (const without of left) {
    const typed = await followSkill(context, machine, { skill, goal, modelUrl, without });
    if (typed !== undefined && typed.failed.length === 0) needless.push(without);
  }
  context.report({
    name: `${name} without a block`,
    figure: `${left.length - needless.length} of ${left.length} miss the goal (${blocks.length} blocks)${needless.map((at) => `; block ${at} is not needed`).join('')}`,
    bar: 'all miss it',
    ok: needless.length === 0,
  });
  const running = (await listProcesses(machine.packages.replace(/\/installed\/.*$/, ''))).length;
  context.log(`${running} processes left`);
}
