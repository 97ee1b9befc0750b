import { createLoopAgent } from '@lachesis/data/batch';
import { listDistribution, openToolsets, TOOLSET_DISTRIBUTIONS } from '@lachesis/sdk/agent';
import { openHome } from '@lachesis/store';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BROWSER_PAGES, listBrowserCalls } from '../../kit/browser-calls.ts';
import { SEEING_MODEL, startToolCaller } from '../../kit/start-tool-caller.ts';
import { TOOL_CALLS } from '../../kit/tool-arguments.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { judgeRows, standardTools } from './judge-rows.ts';
import { runDistribution, type RunDistributionOptions } from './run-distribution.ts';

const NAMES = Object.keys(TOOLSET_DISTRIBUTIONS);
const SEED = 3;
const PROMPTS = 3;
const FULL_PROMPTS = 20;
/** Starting a browser takes seconds, so the runs of all seventeen go without: it counts as not configured there. */
const MISSING = ['browser'];

interface World {
  readonly caller: Awaited<ReturnType<typeof startToolCaller>>;
  readonly prompts: number;
  run(
    given: Pick<RunDistributionOptions, 'distribution' | 'allowMissing' | 'name' | 'breakAgent'> & {
      isConfigured?: boolean;
      env?: Readonly<Record<string, string | undefined>>;
      prompts?: number;
    },
  ): ReturnType<typeof runDistribution>;
}

async function openWorld(context: ScenarioContext): Promise<World> {
  const folder = await context.scratch();
  const caller: World['caller'] = await startToolCaller(
    () => [...TOOL_CALLS, ...listBrowserCalls(new URL(caller.url).origin)],
    BROWSER_PAGES,
  );
  context.defer(async () => caller[Symbol.asyncDispose]());
  await mkdir(join(folder, 'pages'));
  await writeFile(join(folder, 'pages', 'moss.md'), '# Moss\nMoss grows on stones in the shade.\n');
  const server = { base_url: caller.url, model: SEEING_MODEL };
  const file = join(folder, 'tools.yaml');
  await writeFile(file, JSON.stringify({ search: 'corpus:pages', vision: server, image_gen: server }));
  const home = await openHome({ home: join(folder, 'home') });
  context.defer(() => home.store.close());
  const prompts = context.full ? FULL_PROMPTS : PROMPTS;
  return {
    ...{ caller, prompts },
    run: ({ isConfigured = true, env = {}, ...given }) =>
      runDistribution({
        ...{ home, folder, modelUrl: caller.url, seed: SEED, prompts, ...given },
        env: isConfigured ? { ...env, LACHESIS_TOOLS: file } : {},
      }),
  };
}

const needs = (distribution: string, toolsets: readonly string[]): string[] =>
  listDistribution({ distribution }).filter((name) => toolsets.includes(name));

/** Every toolset that a fresh machine has no tools for. */
const UNCONFIGURED = ['web', 'vision', 'image_gen', ...MISSING];

export const scenarios: Scenario[] = [
  {
    name: 'seventeen',
    title: 'Of every distribution all drawn tools are offered and answer, or it is refused before the first call.',
    async run(context) {
      const world = await openWorld(context);
      const told = { whole: 0, refused: 0, allowed: 0, bare: 0, rows: 0 };
      const faults: string[] = [];
      for (const distribution of NAMES) {
        const missing = needs(distribution, MISSING);
        const before = world.caller.asked();
        const end = await world.run({ distribution, allowMissing: false, name: distribution });
        if ('refused' in end) {
          const isRight =
            missing.length > 0 &&
            world.caller.asked() === before &&
            missing.every((toolset) => end.refused.includes(`\n  ${toolset}: `));
          if (isRight) told.refused += 1;
          else faults.push(`${distribution} was refused: ${end.refused}`);
        } else {
          const wrong = judgeRows(end.rows, { distribution, seed: SEED, prompts: world.prompts, missing: [] });
          told.rows += end.rows.length;
          if (wrong.length === 0) told.whole += 1;
          faults.push(...wrong.map((fault) => `${distribution}: ${fault}`));
        }
        if (missing.length === 0) continue;
        const allowed = await world.run({ distribution, allowMissing: true, name: `${distribution}-allowed` });
        const rows = 'rows' in allowed ? allowed.rows : [];
        const wrong = judgeRows(rows, { distribution, seed: SEED, prompts: world.prompts, missing });
        told.rows += rows.length;
        if (wrong.length === 0) told.allowed += 1;
        faults.push(...wrong.map((fault) => `${distribution}, allowed: ${fault}`));
      }
      for (const distribution of NAMES.filter((name) => needs(name, UNCONFIGURED).length > 0)) {
        const before = world.caller.asked();
        const name = `${distribution}-bare`;
        const end = await world.run({ distribution, allowMissing: false, name, isConfigured: false });
        const isRight =
          'refused' in end &&
          world.caller.asked() === before &&
          needs(distribution, UNCONFIGURED).every((toolset) => end.refused.includes(`\n  ${toolset}: `));
        if (isRight) told.bare += 1;
        else faults.push(`${distribution} with nothing configured was not refused with all that is missing`);
      }
      for (const fault of faults.slice(0, 8)) context.log(fault);
      const withBrowser = NAMES.filter((name) => needs(name, MISSING).length > 0).length;
      context.report({
        name: 'distributions',
        figure: `${told.whole} whole, ${told.refused} refused before the first call, ${faults.length} faults in ${told.rows} rows`,
        bar: `${NAMES.length - withBrowser} and ${withBrowser}, 0 faults`,
        ok: told.whole === NAMES.length - withBrowser && told.refused === withBrowser && faults.length === 0,
      });
      context.report({
        name: 'allowed to miss tools',
        figure: `${told.allowed} runs whose every row says what was missing and has the rest`,
        bar: String(withBrowser),
        ok: told.allowed === withBrowser,
      });
      context.report({
        name: 'nothing configured',
        figure: `${told.bare} refused, each missing toolset named, nothing asked`,
        bar: String(NAMES.length - 1),
        ok: told.bare === NAMES.length - 1,
      });
    },
  },
  {
    name: 'browser',
    title: 'With a browser on the machine its distributions are whole too.',
    async run(context) {
      const { missing, close } = await openToolsets({ wanted: MISSING });
      await close();
      const names = context.full ? NAMES.filter((name) => needs(name, MISSING).length > 0) : ['browser_only'];
      const bar = `${names.length} whole, 0 faults`;
      const [problem] = missing;
      if (problem !== undefined) {
        context.reportNotRun({ name: 'browser', why: problem.configure, bar });
        return;
      }
      const world = await openWorld(context);
      const env = { PATH: process.env['PATH'], LACHESIS_EGRESS_ALLOW: new URL(world.caller.url).host };
      const tools = listBrowserCalls('').map(([tool]) => tool);
      const faults: string[] = [];
      // A browser is started for each prompt.
      const prompts = context.full ? PROMPTS : 1;
      for (const distribution of names) {
        const end = await world.run({ distribution, allowMissing: false, name: distribution, env, prompts });
        if ('refused' in end) faults.push(end.refused);
        else {
          const about = { distribution, seed: SEED, prompts, missing: [] };
          const toolsOf = (toolset: string): readonly string[] =>
            toolset === 'browser' ? tools : standardTools(toolset);
          faults.push(...judgeRows(end.rows, { ...about, toolsOf }).map((fault) => `${distribution}: ${fault}`));
        }
      }
      for (const fault of faults.slice(0, 8)) context.log(fault);
      context.report({
        name: 'browser',
        figure: `${names.length} distributions, ${faults.length} faults`,
        bar,
        ok: faults.length === 0,
      });
    },
  },
  {
    name: 'mutants',
    title: 'A runner that drops a toolset silently, or offers tools that do not answer, is caught.',
    async run(context) {
      const world = await openWorld(context);
      const mutants: Record<string, NonNullable<RunDistributionOptions['breakAgent']>> = {
        'drops a toolset': (parts) => {
          const { vision: _dropped, ...toolsets } = parts.toolsets ?? {};
          const agent = createLoopAgent({
            ...parts,
            toolsets,
            settings: { ...parts.settings, allow_missing_tools: true },
          });
          return {
            run: async (task) => {
              const { missing_toolsets: _hidden, ...answer } = await agent.run(task);
              return answer;
            },
          };
        },
        'drops a tool': (parts) => {
          const web = (parts.toolsets?.['web'] ?? []).slice(0, 1);
          return createLoopAgent({ ...parts, toolsets: { ...parts.toolsets, web } });
        },
        'offers tools that fail': (parts) => {
          const fail = async (): Promise<never> => Promise.reject(new Error('not today'));
          const image = (parts.toolsets?.['image_gen'] ?? []).map((tool) => ({ ...tool, execute: fail }));
          return createLoopAgent({ ...parts, toolsets: { ...parts.toolsets, image_gen: image } });
        },
      };
      const caught: string[] = [];
      for (const [name, breakAgent] of Object.entries(mutants)) {
        const end = await world.run({
          distribution: 'creative',
          allowMissing: false,
          name: name.replaceAll(' ', '-'),
          breakAgent,
        });
        const rows = 'rows' in end ? end.rows : [];
        const about = { distribution: 'creative', seed: SEED, prompts: world.prompts, missing: [] };
        if (judgeRows(rows, about).length > 0) caught.push(name);
      }
      // Without its tools the real runner does not begin: that it is refused is what the mutant above goes round.
      const all = Object.keys(mutants).length;
      context.report({
        name: 'mutants',
        figure: `${caught.length} of ${all} caught`,
        bar: 'all',
        ok: caught.length === all,
      });
    },
  },
];
