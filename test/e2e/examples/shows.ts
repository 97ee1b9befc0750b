import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Show } from '../../shows/show.ts';
import { runExample } from './run-example.ts';
import { startStubbornServer } from './start-stubborn-server.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
const examplesFolder = path.join(root, 'examples');

/** An example is read before it is run. */
const MOST_LINES = 80;

/** The one that depends on what happens to be sampled, and must not call anything a success. */
const FICKLE = 'tinker-rl';

/** The figure an example ends with, such as `loss 0.0064`. */
const FIGURE = /\b(?:loss|reward) \d[\d.]*/;

/** `pnpm e2e examples`: every example with a program, as a user runs it. */
export const shows: Show[] = [
  {
    name: 'all',
    title: 'every example that trains runs and reaches what it says; on a server that learns nothing it fails',
    async run(context) {
      // What people install is what was built; a stale build would show the example of yesterday.
      await run('pnpm', ['build'], { cwd: root });
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      // An example without a program is an environment to look at; it has a suite of its own.
      const names = (await readdir(examplesFolder)).filter((name) =>
        existsSync(path.join(examplesFolder, name, 'main.ts')),
      );
      const start = async (name: string, url: string) =>
        runExample({ folder: path.join(examplesFolder, name), url, scratch: await context.scratch() });

      for (const name of names) {
        const { code, lines, logs, seconds } = await start(name, engine.url);
        if (code !== 0) context.log(logs);
        const figures = lines.flatMap((line) => FIGURE.exec(line)?.[0] ?? []);
        const source = (await readFile(path.join(examplesFolder, name, 'main.ts'), 'utf8')).split('\n').length - 1;
        context.report({
          name,
          figure: `exit ${code}, ${figures[0]} at first, ${figures.at(-1)} at last, ${source} lines, ${seconds.toFixed(1)} s`,
          bar: `exit 0, under ${MOST_LINES} lines`,
          ok: code === 0 && figures.length > 1 && source < MOST_LINES,
        });
      }

      const stubborn = await startStubbornServer({ engineUrl: engine.url });
      context.defer(() => stubborn.stop());
      for (const name of context.full ? names : names.filter((each) => each === FICKLE)) {
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
];
