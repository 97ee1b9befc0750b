import path from 'node:path';

import { startControlServer } from '../../kit/start-control-server.ts';
import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess } from '../../kit/start-process.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/** Variables of an example: the server it needs, and places of its own. */
export type World = Readonly<Record<string, string>>;

const CLI = path.resolve(import.meta.dirname, '../../../packages/cli/dist/main.js');

/** Nobody listens there: below it are ports of the system's own, and port 9 discards. */
const NOBODY = 'http://127.0.0.1:9';

/** The variable by which an example finds its server; an example that is not here needs none. */
export const SERVER_VARIABLES: Readonly<Record<string, string>> = {
  'record-openai': 'OPENAI_BASE_URL',
  'record-ai-sdk': 'OPENAI_BASE_URL',
  'rate-from-your-app': 'LACHESIS_URL',
  'push-and-train': 'TRAJECTORY_API_URL',
};

/** What an example must have said when it ended well. */
export const LAST_WORDS: Readonly<Record<string, RegExp>> = {
  'record-openai': /^answered: 42$/,
  'record-ai-sdk': /^answered in 2 steps: 42$/,
  'record-anything': /^recorded ticket-18$/,
  'rate-from-your-app': /^ratings: 1, 0$|^ratings: 0, 1$/,
  'push-and-train': /^ledger: 4 of 4 groups trained$/,
  'export-for-trl': /^wrote 1 rows/,
  'compress-rows': /^63 turns became 1\d$/,
  rewards: /^ {2}polite +failed: there is no answer to grade$/,
  'agent-environment': /^ok +evaluates: /,
};

/** Starts what an example needs, for real: a model that follows a script, a control server with a token, a trajectory API. */
export async function openWorld(context: ScenarioContext, name: string): Promise<World> {
  const home = await context.scratch();
  const world = { LACHESIS_HOME: home, OUTPUT: path.join(home, 'train.jsonl') };
  if (SERVER_VARIABLES[name] === 'OPENAI_BASE_URL') {
    const model = await startScriptedModel((conversation) =>
      conversation.at(-1)?.role === 'tool'
        ? { say: conversation.at(-1)?.content ?? '' }
        : { call: 'add', args: { a: 20, b: 22 } },
    );
    context.defer(() => model.close());
    return { ...world, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', MODEL: 'scripted' };
  }
  if (name === 'rate-from-your-app') {
    const { url, process } = await startControlServer({ home });
    context.defer(() => process.stop().then(() => undefined));
    return { ...world, LACHESIS_URL: url };
  }
  if (name === 'push-and-train') return { ...world, TRAJECTORY_API_URL: await startTrajectoryApi(context, home) };
  return world;
}

/** The same variables, with a server that is not there. */
export const withoutServer = (name: string, world: World): World => ({ ...world, [SERVER_VARIABLES[name]!]: NOBODY });

async function startTrajectoryApi(context: ScenarioContext, home: string): Promise<string> {
  const port = await findFreePort();
  const serving = await startProcess({
    name: 'lachesis serve trajectory-api',
    command: process.execPath,
    args: [CLI, 'serve', 'trajectory-api', '--port', String(port), '--home', home],
    cwd: home,
    env: { DATABASE_URL: undefined, LACHESIS_TOKEN: undefined },
  });
  context.defer(() => serving.stop().then(() => undefined));
  const url = `http://127.0.0.1:${port}`;
  await waitForHttp({ url: `${url}/health`, process: serving, timeoutMs: 30_000 });
  return url;
}
