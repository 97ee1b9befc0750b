import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { createLibraryClient, type LibraryClient } from '@lachesis/sdk';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { prepareMachine, type Place } from '../first-run/fresh-machine.ts';
import { startSlowRoad, type SlowRoad } from './start-slow-road.ts';

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL('../../../examples/thumbs-button', import.meta.url));
const READY_MS = 60_000;
/** An engine that is named and never asked: the gate of the data set shuts before. */
const NOBODY = 'http://127.0.0.1:9';
/** The example's own, which its users install. */
const OPENAI = 'openai@7.53.0';

/** The example as somebody has it who installed the packed packages into an empty folder. */
export interface ThumbsApp {
  readonly url: string;
  readonly road: SlowRoad;
  /** The library behind it, with the token that the first start left. */
  readonly library: LibraryClient;
  /** `lachesis …` in its home; gives what it printed, also where a gate was shut. */
  lachesis(...args: readonly string[]): Promise<string>;
}

export async function openApp(context: ScenarioContext): Promise<ThumbsApp> {
  const machine = await prepareMachine(await context.scratch());
  const place = await machine.openEmpty('app');
  for (const file of ['server.ts', 'page.html']) await copyFile(join(EXAMPLE, file), join(place.folder, file));
  const began = performance.now();
  await run('bash', ['-c', `npm install --no-audit --no-fund ~/lachesis/packed/*.tgz ${OPENAI}`], inside(place));
  context.log(`packages installed after ${((performance.now() - began) / 1000).toFixed(0)} s`);

  const model = await startScriptedModel((conversation) => ({
    say: `answer to ${conversation.at(-1)?.content ?? ''}`,
  }));
  context.defer(() => model.close());
  const start = async (name: string, args: readonly string[], env: Record<string, string>, url: string) => {
    const running = await startInside(place, name, args, env);
    context.defer(async () => void (await running.stop()));
    await waitForHttp({ url, process: running, timeoutMs: READY_MS });
  };
  const cli = join(place.folder, 'node_modules/lachesis/dist/main.js');
  const [controlPort, appPort] = [await findFreePort(), await findFreePort()];
  const control = `http://127.0.0.1:${controlPort}`;
  // It would read the outbox of its own home beside the road; applications elsewhere have the road alone.
  const flags = ['--port', String(controlPort), '--drain-seconds', '3600'];
  await start('lachesis serve control', [cli, 'serve', 'control', ...flags], {}, `${control}/health`);
  const token = (await readFile(join(place.home, '.lachesis/token'), 'utf8')).trim();
  const road = await startSlowRoad(control);
  context.defer(() => road.close());
  const url = `http://127.0.0.1:${appPort}/`;
  const variables = {
    ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', MODEL: 'scripted' },
    ...{ LACHESIS_URL: road.url, PORT: String(appPort) },
  };
  await start('the example', ['server.ts'], variables, url);
  return {
    url,
    road,
    library: createLibraryClient({ url: control, token }),
    async lachesis(...args) {
      const { cwd, env } = inside(place);
      const options = { cwd, env: { ...env, TINKER_BASE_URL: NOBODY }, maxBuffer: 32 * 1024 ** 2 };
      // A gate that shuts ends with 1 and says why.
      const printed = await run(process.execPath, [cli, ...args], options).catch((error: Printed) => error);
      if (printed.stdout === '') throw new Error(`lachesis ${args.join(' ')} printed nothing: ${printed.stderr}`);
      return printed.stdout;
    },
  };
}

interface Printed {
  stdout: string;
  stderr: string;
}

const inside = ({ folder, env }: Place) => ({ cwd: folder, env: { ...env } });

/** With the variables of the place alone: nothing of this process is passed on. */
async function startInside(
  place: Place,
  name: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<RunningProcess> {
  await mkdir(place.folder, { recursive: true });
  const nothing = Object.fromEntries(Object.keys(process.env).map((variable) => [variable, undefined]));
  return startProcess({
    ...{ name, command: process.execPath, args, cwd: place.folder },
    env: { ...nothing, ...place.env, ...env },
  });
}
