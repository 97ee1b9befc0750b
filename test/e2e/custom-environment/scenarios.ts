import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
const cli = path.join(root, 'packages/cli/src/main.ts');

/** What somebody does who writes an environment: new, check, look, compare. */
export const scenarios: Scenario[] = [
  {
    name: 'templates',
    title: 'what `env new` writes passes `env check`, with and without --agent',
    run: async (context) => {
      const folder = await linkedFolder(context);
      for (const flags of [[], ['--agent']]) {
        const name = flags.length === 0 ? 'plain' : 'agent';
        await lachesis(folder, ['env', 'new', name, ...flags]);
        const lines = await checkLines(folder, `environments/${name}.ts`);
        // The tools of an agent are one line more.
        const wanted = flags.includes('--agent') ? 7 : 6;
        context.report(judge(`env new ${flags.join(' ')}`.trim(), lines, wanted));
      }
      const listed = JSON.parse(await lachesis(folder, ['env', 'list', '--json'])) as { name: string }[];
      const names = listed.map(({ name }) => name).filter((name) => name === 'plain' || name === 'agent');
      context.report({
        name: 'listed',
        figure: names.toSorted().join(', '),
        bar: 'agent, plain',
        ok: names.length === 2,
      });
    },
  },
  {
    name: 'example',
    title: 'examples/custom-environment passes its check and its test, and is evaluated on a server',
    run: async (context) => {
      const folder = await linkedFolder(context);
      // Without what pnpm linked there: the example gets its packages as a folder of a user would.
      await cp(path.join(root, 'examples/custom-environment'), folder, {
        recursive: true,
        filter: (source) => path.basename(source) !== 'node_modules',
      });
      context.report(judge('example', await checkLines(folder, 'environments/receipts.ts')));
      const { stdout } = await run(process.execPath, ['--conditions=lachesis-source', 'receipts.test.ts'], {
        cwd: folder,
      });
      context.report({ name: 'its test', figure: stdout.trim(), bar: '6 of 6', ok: stdout.startsWith('6 of 6') });
      const url = await startTextServer(context);
      const args = ['env', 'evaluate', 'environments/receipts.ts', '--openai.base_url', url, '--models', 'good,bad'];
      await lachesis(folder, [...args, '--env.data_dir_to_save_evals', 'evals']);
      const reward = async (model: string): Promise<number> => {
        const text = await readFile(path.join(folder, 'evals', model, 'metrics.json'), 'utf8');
        return (JSON.parse(text) as { results: { all: Record<string, number> } }).results.all['eval/mean_reward'] ?? 0;
      };
      const [good, bad] = [await reward('good'), await reward('bad')];
      context.report({
        name: 'evaluated',
        figure: `good ${good}, bad ${bad}`,
        bar: 'good 1, bad 0',
        ok: good === 1 && bad === 0,
      });
    },
  },
];

/** An empty folder in which the packages of this checkout are installed. */
async function linkedFolder(context: ScenarioContext): Promise<string> {
  const folder = await context.scratch();
  await mkdir(path.join(folder, 'node_modules/@lachesis'), { recursive: true });
  await symlink(path.join(root, 'packages/sdk'), path.join(folder, 'node_modules/@lachesis/sdk'));
  await symlink(path.join(root, 'packages/sdk/node_modules/zod'), path.join(folder, 'node_modules/zod'));
  return folder;
}

async function lachesis(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['--conditions=lachesis-source', cli, ...args], {
    cwd,
    timeout: 60_000,
  });
  return stdout;
}

interface Line {
  readonly name: string;
  readonly verdict: string;
  readonly detail: string;
}

async function checkLines(cwd: string, file: string): Promise<readonly Line[]> {
  return JSON.parse(await lachesis(cwd, ['env', 'check', file, '--json'])) as Line[];
}

function judge(
  name: string,
  lines: readonly Line[],
  wanted = 6,
): { name: string; figure: string; bar: string; ok: boolean } {
  const fine = lines.filter(({ verdict }) => verdict === 'ok').length;
  return {
    name,
    figure: `${fine} of ${lines.length} ok`,
    bar: `${wanted} of ${wanted} ok`,
    ok: fine === wanted && lines.length === wanted,
  };
}

/** An OpenAI-compatible server that gives text alone: `good` reads the receipt, `bad` does not. */
async function startTextServer(context: ScenarioContext): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const body = text === '' ? undefined : (JSON.parse(text) as { model: string; messages: { content: string }[] });
      const match = /^At (.+) I paid ([\d.]+) euros/.exec(body?.messages[0]?.content ?? '');
      const right = JSON.stringify({ shop: match?.[1], cents: Math.round(Number(match?.[2]) * 100) });
      const message = { role: 'assistant', content: body?.model === 'good' ? right : 'I do not know.' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.defer(() => void server.close());
  const { port } = server.address() as { port: number };
  return `http://127.0.0.1:${port}/v1`;
}
