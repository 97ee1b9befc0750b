import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { runExample, type ExampleRun } from './run-example.ts';
import { startStubbornServer } from './start-stubborn-server.ts';
import { LAST_WORDS, openWorld, SERVER_VARIABLES, withoutServer } from './worlds.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
const examplesFolder = path.join(root, 'examples');

/** An example is read before it is run. The whole loop is allowed to be longer. */
const MOST_LINES = 90;
const MOST_LINES_OF_THE_LOOP = 300;

/** Examples that train: they end with a figure, and on a server that learns nothing they must fail. */
const TRAINING = ['tinker-sft', 'tinker-rl', 'rl-loop'] as const;

/** The one that depends on what happens to be sampled, and must not call anything a success. */
const FICKLE = 'tinker-rl';

/** The figure an example ends with, such as `loss 0.0064`. */
const FIGURE = /\b(?:loss|reward) \d[\d.]*/;

/** `pnpm e2e examples`: every example with a program, as a user runs it. */
export const scenarios: Scenario[] = [
  {
    name: 'all',
    title: 'every example that trains runs and reaches what it says; on a server that learns nothing it fails',
    async run(context) {
      await build();
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const start = async (name: string, url: string): Promise<ExampleRun> => {
        const scratch = await context.scratch();
        const files = { ADAPTER: path.join(scratch, 'adapter'), CHECKPOINT: path.join(scratch, 'checkpoint.json') };
        const env = { TINKER_BASE_URL: url, TINKER_API_KEY: 'tml-local', ...files };
        return runExample({ folder: path.join(examplesFolder, name), env });
      };

      for (const name of TRAINING) {
        const { code, lines, logs, seconds } = await start(name, engine.url);
        if (code !== 0) context.log(logs);
        const figures = lines.flatMap((line) => FIGURE.exec(line)?.[0] ?? []);
        const source = await countLines(name);
        const most = name === 'rl-loop' ? MOST_LINES_OF_THE_LOOP : MOST_LINES;
        context.report({
          name,
          figure: `exit ${code}, ${figures[0]} at first, ${figures.at(-1)} at last, ${source} lines, ${seconds.toFixed(1)} s`,
          bar: `exit 0, at most ${most} lines`,
          ok: code === 0 && figures.length > 1 && source <= most,
        });
      }

      const stubborn = await startStubbornServer({ engineUrl: engine.url });
      context.defer(() => stubborn.stop());
      for (const name of context.full ? TRAINING : TRAINING.filter((each) => each === FICKLE)) {
        const { code, lines } = await start(name, stubborn.url);
        context.report({
          name: `mutant ${name} without learning`,
          figure: `exit ${code}, ${FIGURE.exec(lines.findLast((line) => FIGURE.test(line)) ?? '')?.[0]} at last`,
          bar: 'exit 1, after it ran to its end',
          ok: code === 1 && lines.some((line) => FIGURE.test(line)),
        });
      }
    },
  },
  {
    name: 'others',
    title: 'every other example runs to its end and says what it should; without its server it fails',
    async run(context) {
      await build();
      for (const name of await listOthers()) {
        const folder = path.join(examplesFolder, name);
        const world = await openWorld(context, name);
        const { code, lines, logs, seconds } = await runExample({ folder, env: world });
        const said = lines.find((line) => LAST_WORDS[name]?.test(line) === true);
        if (code !== 0 || said === undefined) context.log(logs);
        const source = await countLines(name);
        context.report({
          name,
          figure: `exit ${code}, ${JSON.stringify(said?.trim())}, ${source} lines, ${seconds.toFixed(1)} s`,
          bar: `exit 0, says what it did, at most ${MOST_LINES} lines`,
          ok: code === 0 && said !== undefined && source <= MOST_LINES,
        });
        if (SERVER_VARIABLES[name] === undefined) continue;
        const alone = await runExample({ folder, env: withoutServer(name, world) });
        context.report({
          name: `mutant ${name} without its server`,
          figure: `exit ${alone.code}`,
          bar: 'another exit than 0',
          ok: alone.code !== 0,
        });
      }
    },
  },
];

/** What people install is what was built; a stale build would show the example of yesterday. */
const build = (): Promise<unknown> => run('pnpm', ['build'], { cwd: root });

/** An example without a program is an environment to look at; it has a suite of its own. */
async function listOthers(): Promise<string[]> {
  const names = await readdir(examplesFolder);
  const training: readonly string[] = TRAINING;
  return names.filter((name) => existsSync(path.join(examplesFolder, name, 'main.ts')) && !training.includes(name));
}

async function countLines(name: string): Promise<number> {
  return (await readFile(path.join(examplesFolder, name, 'main.ts'), 'utf8')).split('\n').length - 1;
}
