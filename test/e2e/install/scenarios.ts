import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { packPackages } from '../../kit/pack-packages.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';

const run = promisify(execFile);

/** What a stranger does: install the packages into an empty folder, start the server, push a group, take a batch. */
export const scenarios: Scenario[] = [
  {
    name: 'empty-folder',
    title: 'the packed packages install into an empty folder and serve a batch',
    run: async (context) => {
      const scratch = await context.scratch();
      const tarballs = await packPackages(path.join(scratch, 'packed'));
      const folder = path.join(scratch, 'folder');
      await mkdir(folder);
      const started = performance.now();
      await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs], { cwd: folder });
      context.log(`installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
      const groups = await pushAndTake(context, folder, path.join(scratch, 'home'));
      context.report({ name: 'install', figure: `batch of ${groups} groups`, bar: '2 groups', ok: groups === 2 });
    },
  },
];

async function pushAndTake(context: ScenarioContext, folder: string, home: string): Promise<number> {
  const server = await startProcess({
    name: 'lachesis',
    command: path.join(folder, 'node_modules', '.bin', 'lachesis'),
    args: ['serve', 'trajectory-api', '--port', '0', '--home', home, '--json'],
    cwd: folder,
  });
  context.defer(async () => {
    await server.stop();
  });
  const { url } = JSON.parse(await waitForLine(server)) as { url: string };
  const call = async (method: string, route: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}${route}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${method} ${route} answered ${response.status}`);
    return response.json();
  };
  await call('POST', '/register', {
    ...{ wandb_group: '', wandb_project: '', batch_size: 4, max_token_len: 64, checkpoint_dir: '' },
    ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: 10 },
  });
  const group = {
    tokens: [
      [1, 2],
      [1, 3],
    ],
    masks: [
      [-100, 2],
      [-100, 3],
    ],
    scores: [1, 0],
  };
  await call('POST', '/scored_data', group);
  await call('POST', '/scored_data', group);
  const { batch } = (await call('GET', '/batch')) as { batch: unknown[] };
  return batch.length;
}

async function waitForLine(server: RunningProcess): Promise<string> {
  for (let waited = 0; waited < 20_000; waited += 50) {
    const line = server
      .logs()
      .split('\n')
      .find((text) => text.startsWith('{"url"'));
    if (line !== undefined) return line;
    if (!server.isRunning()) throw new Error(`the server ended:\n${server.logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server said nothing for 20 s:\n${server.logs()}`);
}
