import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../../../kit/start-process.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';
import type { Show, ShowContext } from '../../../shows/show.ts';
import { startTextModel } from '../start-text-model.ts';
import { cli } from '../start-up.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const PAGE = path.join(root, 'docs/get-started/record-your-agent.md');
const OLLAMA_PORT = 11_434;
const LONGEST_SECONDS = 300;
const DOTTED = 'http://localhost:8001/key/lch_…/v1';

/** The `sh` blocks of the page, each as somebody pastes it. */
const readBlocks = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

export const pageShow: Show = {
  name: 'page',
  title: 'docs/get-started/record-your-agent.md, typed as it stands into an empty folder',
  async run(context) {
    const page = await readFile(PAGE, 'utf8');
    const [start = '', ...rest] = readBlocks(page, 'sh');
    const [agent = ''] = readBlocks(page, 'js');
    const folder = await context.scratch();
    const home = await context.scratch();
    // What `npm install openai` leaves behind; the model stands where Ollama would.
    await mkdir(path.join(folder, 'node_modules'));
    await symlink(path.join(root, 'node_modules/openai'), path.join(folder, 'node_modules/openai'));
    const model = await startTextModel({ port: OLLAMA_PORT });
    context.defer(() => model.close());

    const startedAt = performance.now();
    const up = await openShell(context, start, folder, home);
    for (const port of [8080, 8001]) {
      await waitForHttp({ url: `http://127.0.0.1:${port}/health`, process: up, timeoutMs: 60_000 });
    }
    await writeFile(path.join(folder, 'agent.mjs'), agent);
    let printed = '';
    const address = await findAddress(() => up.logs());
    for (const written of rest) {
      // Where the page has dots the reader pastes what `up` printed.
      const block = written.replaceAll(DOTTED, address);
      const shell = await openShell(context, `set -e\n${block}`, folder, home);
      const { code } = await shell.exited;
      printed += shell.logs();
      if (code !== 0) throw new Error(`the page's commands ended with ${code}:\n${block}\n${shell.logs()}`);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const lines = (await readFile(path.join(folder, 'agent.jsonl'), 'utf8')).trim().split('\n');
    const isExported = lines.length === 1 && lines[0]!.includes('It is 42.') && lines[0]!.includes('tool_call');
    context.report({
      name: 'the agent ran, and was seen, rated and exported',
      figure: `said the sum: ${printed.includes('It is 42.')}, rows in agent.jsonl: ${lines.length}, with its call: ${isExported}`,
      bar: 'true, 1, true',
      ok: printed.includes('It is 42.') && isExported,
    });
    context.report({
      name: 'time',
      figure: `${seconds.toFixed(1)} s of commands`,
      bar: `< ${LONGEST_SECONDS} s`,
      ok: seconds < LONGEST_SECONDS,
    });
  },
};

/** The base URL that `up` prints for agents. */
async function findAddress(read: () => string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const address = /OPENAI_BASE_URL=(\S+)/.exec(read())?.[1];
    if (address !== undefined) return address;
    await sleep(100);
  }
  throw new Error(`no address was printed:\n${read()}`);
}

/** A shell in which `lachesis` is this checkout. */
async function openShell(context: ShowContext, text: string, folder: string, home: string) {
  const shell = await startProcess({
    name: 'the shell',
    command: 'bash',

    args: ['-c', `lachesis() { "${process.execPath}" --conditions=lachesis-source "${cli}" "$@"; }\n${text}`],
    cwd: folder,
    env: {
      LACHESIS_HOME: home,
      LACHESIS_URL: undefined,
      DATABASE_URL: undefined,
      TINKER_API_KEY: undefined,
      TINKER_BASE_URL: undefined,
    },
  });
  context.defer(() => endTree(shell.pid, shell.isRunning));
  return shell;
}

/** Ends what the shell started: the shell waits for it and passes no signal on. */
async function endTree(pid: number, isRunning: () => boolean): Promise<void> {
  if (!isRunning()) return;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const child of children.trim().split(' ').filter(Boolean)) process.kill(Number(child), 'SIGTERM');
  for (let tries = 0; tries < 100 && isRunning(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
}
