import { EngineError } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { existsSync, statfsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { createView } from '../demo/create-view.ts';
import { DemoError } from '../demo/demo-error.ts';
import { nameProgram } from '../demo/name-program.ts';
import { PRESETS, type DemoModel } from '../demo/preset.ts';
import type { Reply } from '../demo/read-replies.ts';
import type { DemoResult } from '../demo/run-demo.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { fail } from '../terminal/fail.ts';
import { createPaint, wantsColour, type Paint } from '../terminal/paint.ts';
import { failWithEngineError, homeFlag, jsonFlag, pythonFlag, quotePath, readHome } from '../flags/engine.ts';
import { readWholeNumber } from '../flags/read-value.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { failWithEnvironmentError } from '../flags/environment.ts';
import { listenForShutdown } from '../terminal/shutdown-signals.ts';

const flags = {
  model: {
    type: 'string',
    description: 'tiny (about a minute) or smollm2, a real language model (half an hour or more)',
  },
  folder: { type: 'string', description: 'where the environment and the results go (default: ./lachesis-demo)' },
  steps: { type: 'string', description: 'training steps (default: 10 of tiny and 30 of smollm2)' },
  ...homeFlag,
  ...pythonFlag,
  ...jsonFlag,
} as const;

export const demoCommand = defineCommand({
  meta: {
    name: 'demo',
    description: 'From nothing to a rising reward: engine, model, warm-up, training, all on this machine.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const model = readModel(args.model);
    const steps = readWholeNumber('steps', args.steps);
    if (steps === 0) fail('--steps wants at least 1.');
    const isJson = args.json === true;
    // With --json standard output holds the result alone.
    const stream = isJson ? process.stderr : process.stdout;
    const paint = createPaint(wantsColour(stream, process.env));
    const view = createView({
      paint,
      readFreeBytes: () => readFreeBytes(readHome(args)),
      write: (text) => void stream.write(text),
      isLive: stream.isTTY && !isJson,
      now: Date.now,
      // A terminal that does not know its width says 0.
      columns: stream.columns > 0 ? stream.columns : 80,
    });
    // It keeps nobody alive.
    const clock = setInterval(() => view.tick(), 1_000);
    clock.unref();
    const { signal, hurry } = listenForShutdown();
    signal.addEventListener('abort', () => view.log('\nending everything in order; Ctrl-C again ends it at once'));
    const folder = resolve(args.folder ?? 'lachesis-demo');
    view.log(`Lachesis demo: ${PRESETS[model].title} learns on this machine.`);
    view.log(`No account, no key, no GPU. Kept in ${readHome(args)} and ${shorten(folder)}.\n`);
    // Loaded here: `--help` needs none of it.
    const { runDemo } = await import('../demo/run-demo.ts');
    try {
      const result = await runDemo({
        ...{ home: resolve(readHome(args)), folder, model, steps, python: args.python },
        ...{ view, now: Date.now, signal, hurry },
      });
      clearInterval(clock);
      process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : describeResult(result, paint));
    } catch (error) {
      clearInterval(clock);
      if (signal.aborted) {
        view.log(`ended; what was made is kept, and \`${nameProgram()} demo\` begins again from there`);
        process.exit(EXIT_CODES.interrupted);
      }
      if (EngineError.isInstance(error)) failWithEngineError(error);
      if (DemoError.isInstance(error)) fail(error.message);
      failWithEnvironmentError(error);
    }
  },
});

function readModel(text: string | undefined): DemoModel {
  if (text === undefined || text === 'tiny' || text === 'smollm2') return text ?? 'tiny';
  return fail(`--model wants tiny or smollm2, and ${JSON.stringify(text)} was given.`);
}

/** Of the disk that the home is on, or will be. */
function readFreeBytes(home: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(existsSync(home) ? home : dirname(home));
    return bavail * bsize;
  } catch {
    // Some file systems do not tell; the clock moves without it.
    return undefined;
  }
}

function describeResult(result: DemoResult, paint: Paint): string {
  const { rewards, seconds, environmentFile, rolloutsPage, metricsFile, model, run } = result;
  const [first = 0, last = 0] = [rewards[0], rewards.at(-1)];
  const rose = last > first ? 'The reward rose' : 'The reward did not rise: it went';
  const lachesis = nameProgram();
  const again = `${lachesis} demo${model === 'tiny' ? '' : ` --model ${model}`}`;
  return [
    '',
    `${last > first ? paint.green(rose) : rose} from ${first.toFixed(3)} to ${last.toFixed(3)} in ${rewards.length} steps; all of it took ${seconds.toFixed(0)} s.`,
    '',
    'before',
    ...result.before.map(describeReply),
    'after',
    ...result.after.map(describeReply),
    '',
    `rollouts  ${shorten(rolloutsPage)}   (open it in a browser)`,
    `metrics   ${shorten(metricsFile)}`,
    '',
    paint.bold('Next'),
    `  another reward      edit ${shorten(environmentFile)}, then ${paint.cyan(again)}`,
    `  look at the run     ${paint.cyan(`${lachesis} runs show ${run}`)} · ${paint.cyan(`${lachesis} rollouts ${run}`)}`,
    `  talk to it          ${paint.cyan(`${lachesis} engine up && ${lachesis} models promote ${run} && ${lachesis} chat ${run}`)}`,
    `  record your agent   ${paint.cyan(`${lachesis} up --upstream-url https://api.openai.com/v1`)}`,
    `  your own project    ${paint.cyan(`${lachesis} init my-agent`)}`,
    '',
  ].join('\n');
}

const describeReply = ({ prompt, text, reward }: Reply): string =>
  `  ${JSON.stringify(prompt)} → ${JSON.stringify(text)}  reward ${reward.toFixed(2)}`;

/** As somebody in this folder would type it. */
function shorten(path: string): string {
  const near = relative(process.cwd(), path);
  return quotePath(near.startsWith('..') ? path : `./${near}`);
}
