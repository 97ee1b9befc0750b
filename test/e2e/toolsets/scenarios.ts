import type { ChatMessage } from '@lachesis/protocol';
import { openToolsets } from '@lachesis/sdk/agent';
import { openHome, readTrajectory, listTrajectories } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hideToolImages } from '../../../packages/sdk/src/agent/tool-reply.ts';
import { BROWSER_PAGES, listBrowserCalls } from '../../kit/browser-calls.ts';
import { makePng } from '../../kit/make-png.ts';
import { startProcess } from '../../kit/start-process.ts';
import { SEEING_MODEL, startToolCaller } from '../../kit/start-tool-caller.ts';
import { TOOL_CALLS } from '../../kit/tool-arguments.ts';
import { findDatasetsPython } from '../../peers/datasets/find-datasets-python.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { listFilesystemCalls } from './filesystem-calls.ts';
import { judgeConversation } from './judge-row.ts';

const MAIN = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('load_rows.py', import.meta.url));
const FILESYSTEM = 'dist/index.js';
/** The browser is there besides where the machine has one. */
const TOOLSETS = ['web', 'vision', 'image_gen', 'terminal', 'file', 'code_execution', 'memory', 'todo', 'files'];
const TIMEOUT_MS = 180_000;
const NO_KEYS = { TAVILY_API_KEY: undefined, BRAVE_API_KEY: undefined, EXA_API_KEY: undefined, SEARXNG_URL: undefined };

/** The settings and the files that they name. */
async function writeSettings(folder: string, url: string, toolsets: readonly string[]): Promise<string[]> {
  const [papers, pages] = [join(folder, 'papers'), join(folder, 'pages')];
  await Promise.all([papers, pages].map((path) => mkdir(path)));
  await writeFile(join(papers, 'stone.png'), makePng(99));
  await writeFile(join(pages, 'moss.md'), '# Moss\nMoss grows on stones in the shade.\n');
  const server = { base_url: url, model: SEEING_MODEL };
  const folderOf = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json');
  const files = { command: process.execPath, args: [join(dirname(folderOf), FILESYSTEM), papers] };
  const tools = { search: 'corpus:pages', vision: server, image_gen: server, mcp: { files } };
  const everything = Object.fromEntries(toolsets.map((name) => [name, 100]));
  await writeFile(join(folder, 'tools.yaml'), JSON.stringify(tools));
  await writeFile(join(folder, 'distributions.yaml'), JSON.stringify({ everything }));
  await writeFile(join(folder, 'prompts.jsonl'), '{"prompt": "Where does moss grow?"}\n');
  return [
    ...['batch', '--dataset_file', 'prompts.jsonl', '--batch_size', '1', '--run_name', 'all', '--model', 'scripted'],
    ...['--base_url', url, '--tools', 'tools.yaml', '--distributions_file', 'distributions.yaml', '--sandbox', 'local'],
    ...['--distribution', 'everything', '--keep_without_reasoning', '--max_attempts', '1'],
  ];
}

async function runBatch(
  context: ScenarioContext,
  { folder, url, args }: { folder: string; url: string; args: readonly string[] },
): Promise<number | null> {
  await using child = await startProcess({
    ...{ name: 'lachesis batch', command: process.execPath, cwd: folder },
    args: ['--conditions=lachesis-source', MAIN, ...args],
    // The pages are on this machine, which a browser may not ask by itself.
    env: {
      ...NO_KEYS,
      LACHESIS_EGRESS_ALLOW: new URL(url).host,
      LACHESIS_HOME: join(folder, 'home'),
      DATABASE_URL: undefined,
      LACHESIS_TOOLS: undefined,
    },
  });
  const timer = setTimeout(() => child.signal('SIGKILL'), TIMEOUT_MS);
  const { code } = await child.exited;
  clearTimeout(timer);
  if (code !== 0) context.log(child.logs());
  return code;
}

/** What the library has of the conversation. */
async function readRecorded(home: string): Promise<ChatMessage[]> {
  const { store, blobs } = await openHome({ home });
  try {
    const { trajectories } = await listTrajectories({ store, tenantId: 'local', filter: {}, limit: 10 });
    const stored = await readTrajectory({
      ...{ store, blobs, tenantId: 'local', trajectoryId: trajectories[0]?.trajectory_id ?? '' },
    });
    // A turn holds what is new in it.
    return (stored?.turns ?? []).flatMap(({ messages, replies }) => [
      ...messages,
      ...replies.map(({ message }) => message),
    ]);
  } finally {
    await store.close();
  }
}

/** Why there are no browser tools here; undefined where there are. */
async function findBrowserProblem(): Promise<string | undefined> {
  const { missing, close } = await openToolsets({ wanted: ['browser'] });
  await close();
  return missing[0]?.configure;
}

interface Loaded {
  rows: number[];
  tool_answers: number;
  images: number;
  turns: string[];
}

async function loadInPython(folder: string): Promise<Loaded> {
  const run = join(folder, 'data', 'all');
  const args = [LOADER, join(run, 'trajectories.parquet'), join(run, 'trajectories.jsonl'), join(folder, 'cache')];
  const env = { ...process.env, HF_HOME: join(folder, 'hf'), HF_HUB_OFFLINE: '1' };
  const { stdout } = await promisify(execFile)(findDatasetsPython(), args, { env, timeout: TIMEOUT_MS });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Loaded;
}

export const scenarios: Scenario[] = [
  {
    name: 'every-tool',
    title:
      'A scripted model uses every tool once against real parts; rows, library and exports hold calls, answers and images.',
    async run(context) {
      const folder = await context.scratch();
      const calls = [...TOOL_CALLS, ...listFilesystemCalls(join(folder, 'papers'))];
      await using caller = await startToolCaller(() => calls, BROWSER_PAGES);
      const { url } = caller;
      const problem = await findBrowserProblem();
      const toolsets = problem === undefined ? [...TOOLSETS, 'browser'] : TOOLSETS;
      if (problem === undefined) calls.push(...listBrowserCalls(new URL(url).origin));
      else context.reportNotRun({ name: 'browser', why: problem, bar: 'its tools among the others' });
      const code = await runBatch(context, { folder, url, args: await writeSettings(folder, url, toolsets) });
      const offered = caller.offered[0] ?? [];
      const known = new Set(calls.map(([tool]) => tool));
      const uncalled = offered.filter((tool) => !known.has(tool));
      const lost = [...known].filter((tool) => !offered.includes(tool));
      context.report({
        name: 'offered',
        figure: `${offered.length} tools of ${toolsets.length} toolsets, ${uncalled.length} without a call here, ${lost.length} not offered`,
        bar: 'all of them called, 0 not offered',
        ok: code === 0 && uncalled.length === 0 && lost.length === 0,
      });
      const [row] = (await readFile(join(folder, 'data', 'all', 'trajectories.jsonl'), 'utf8')).split('\n');
      const { tool_stats: stats } = JSON.parse(row ?? '{}') as { tool_stats: Record<string, { success: number }> };
      const failed = Object.entries(stats).filter(([, { success }]) => success !== 1);
      const recorded = await readRecorded(join(folder, 'home'));
      const told = judgeConversation(recorded, offered);
      for (const fault of [...failed.map(([tool]) => `${tool} failed`), ...told.faults].slice(0, 8)) context.log(fault);
      context.report({
        name: 'answered',
        figure: `${offered.length - failed.length} of ${offered.length} in the rows, ${told.called - told.faults.length} in the library`,
        bar: 'all',
        ok: failed.length === 0 && told.faults.length === 0 && told.called === offered.length,
      });
      const expected = [1, 7, 99].map((seed) => `data:image/png;base64,${makePng(seed).toString('base64')}`);
      const kept = expected.filter((image) => told.images.includes(image));
      context.report({
        name: 'images in the library',
        figure: `${kept.length} of ${expected.length}, byte for byte: made, looked at, read over MCP`,
        bar: 'all',
        // The screenshot of the browser is one that nobody knows before.
        ok: kept.length === expected.length && told.images.length === expected.length + (problem === undefined ? 1 : 0),
      });
      const loaded = await loadInPython(folder);
      context.report({
        name: 'in Hugging Face datasets',
        figure: `${loaded.rows.join(' and ')} row, ${loaded.tool_answers} answers, ${loaded.images} images, ${loaded.turns.join(' ')}`,
        bar: `1 and 1, ${offered.length}, ${told.images.length}`,
        ok:
          loaded.rows.join() === '1,1' &&
          loaded.tool_answers === offered.length &&
          loaded.images === told.images.length,
      });
      const blind = judgeConversation(hideToolImages(recorded), offered);
      const cut = judgeConversation(recorded.slice(0, -3), offered);
      context.report({
        name: 'a record without its images, or without an answer',
        figure: `${blind.images.length} images found, ${cut.faults.length} answers missed`,
        bar: '0, ≥ 1',
        ok: blind.images.length === 0 && cut.faults.length > 0,
      });
    },
  },
];
