import { defineCommand } from 'citty';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readWholeNumber } from '../flags/read-value.ts';
import { runArgument } from '../flags/run-argument.ts';
import { serverFlags } from '../flags/server.ts';
import { withControl } from '../flags/library/find-control.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { findRunId } from '../runs/find-run.ts';
import { findPair, findRollouts } from '../runs/rollouts/find-rollouts.ts';
import { renderPair, renderRollouts } from '../runs/rollouts/render-rollouts.ts';
import { writeRolloutsPage } from '../runs/rollouts/rollouts-page.ts';
import { failUsage } from '../terminal/fail.ts';
import { readScreen, writeJson } from '../terminal/screen.ts';

const DEFAULT_LIMIT = 4;
const MOST_SHOWN = 1_000;

const flags = {
  step: { type: 'string', description: 'step to look at (default: the newest that has rollouts)' },
  item: { type: 'string', description: 'only rollouts of this item of the environment' },
  best: { type: 'boolean', description: 'those with the highest rewards first' },
  worst: { type: 'boolean', description: 'those with the lowest rewards first' },
  diff: { type: 'string', description: 'the same item at two steps: --diff 1 20' },
  tokens: { type: 'boolean', description: 'trained tokens with the log probabilities of sampler and trainer' },
  limit: { type: 'string', description: `at most so many rollouts (default: ${DEFAULT_LIMIT})` },
  html: { type: 'string', description: 'write a page of the run by step to this file, such as rollouts.html' },
  ...serverFlags,
} as const;

export const rolloutsCommand = defineCommand({
  meta: {
    name: 'rollouts',
    description: 'Read what a run was trained on: replies with rewards, advantages, tokens and log probabilities.',
  },
  args: { ...runArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    if (args.best === true && args.worst === true) failUsage('--best and --worst are two orders. Give one of them.');
    const order = args.best === true ? 'best' : args.worst === true ? 'worst' : undefined;
    const limit = Math.min(MOST_SHOWN, Math.max(1, readWholeNumber('limit', args.limit) ?? DEFAULT_LIMIT));
    const step = readWholeNumber('step', args.step);
    const steps = args.diff === undefined ? undefined : readPair(args.diff, args._[1]);
    const wish = { item: args.item, order, limit, tokens: args.tokens === true || args.json === true } as const;
    await withControl(args, async (client) => {
      const runId = await findRunId(client, args.run);
      if (args.html !== undefined) {
        const page = writeRolloutsPage({ client, runId, step, item: args.item });
        await pipeline(Readable.from(page), createWriteStream(args.html));
        if (args.json === true) writeJson({ run_id: runId, file: args.html });
        else process.stdout.write(`wrote ${args.html}\n`);
        return;
      }
      const screen = { ...readScreen(), showsTokens: args.tokens === true };
      if (steps !== undefined) {
        const pair = await findPair(client, runId, { ...wish, steps });
        if (args.json === true) writeJson({ run_id: runId, ...pair });
        else process.stdout.write(`${renderPair(runId, pair, screen).join('\n')}\n`);
        return;
      }
      const found = await findRollouts(client, runId, { ...wish, step });
      if (args.json === true) writeJson({ run_id: runId, ...found });
      else process.stdout.write(`${renderRollouts(runId, found, screen).join('\n')}\n`);
    });
  },
});

/** `--diff 1 20`, and `--diff 1,20` for who likes it in one word. */
function readPair(first: string, second: string | undefined): [number, number] {
  const words = first.includes(',') ? first.split(',') : [first, second ?? ''];
  const [from, to] = words.map((word) => (/^\d+$/.test(word.trim()) ? Number(word) : Number.NaN));
  if (words.length === 2 && Number.isInteger(from) && Number.isInteger(to)) return [from!, to!];
  return failUsage('--diff wants two steps: lachesis rollouts <run> --diff 1 20');
}
