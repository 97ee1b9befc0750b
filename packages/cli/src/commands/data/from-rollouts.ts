import { rolloutsToData } from '@lachesis/server';
import { defineCommand } from 'citty';
import { tenantFlags, withLibrary } from '../../flags/library/library.ts';
import { readNumber } from '../../flags/read-value.ts';
import { runArgument } from '../../flags/run-argument.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { findRunId } from '../../runs/find-run.ts';
import { failUsage } from '../../terminal/fail.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';

const flags = {
  sft: { type: 'string', description: 'best: the best attempt of each group, as conversations for train sft' },
  dpo: { type: 'string', description: 'pairs: the best and the worst attempt of each group, for train dpo' },
  'min-score': { type: 'string', description: 'what the best attempt has to earn (default: more than 0 with --sft)' },
  'min-difference': {
    type: 'string',
    description: 'with --dpo: how far best and worst have to be apart (default: at all)',
  },
  name: { type: 'string', description: 'the data set to make (default: <run>-best or <run>-pairs)' },
  ...tenantFlags,
} as const;

export const dataFromRolloutsCommand = defineCommand({
  meta: {
    name: 'from-rollouts',
    description:
      'Make a data set of what a run has rolled out: the best attempt of each group, or pairs of best and worst.',
  },
  args: { ...runArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const make = readMake(args);
    const bounds = {
      minScore: args['min-score'] === undefined ? undefined : readNumber('min-score', args['min-score']),
      minDifference:
        args['min-difference'] === undefined ? undefined : readNumber('min-difference', args['min-difference']),
    };
    const { signal } = listenForShutdown();
    await withControl(args, async (client) => {
      const run = await findRunId(client, args.run);
      const name = args.name ?? `${run}-${make}`;
      await withLibrary(args, async (library) => {
        const { made, groups, leftOut } = await rolloutsToData({ client, library, run, name, make, signal, ...bounds });
        if (args.json === true) {
          process.stdout.write(
            `${JSON.stringify({ run, dataset: made?.dataset ?? null, groups, left_out: leftOut })}\n`,
          );
        } else process.stdout.write(describe({ made, groups, leftOut, make }));
        if (made === undefined) process.exitCode = 1;
      });
    });
  },
});

function readMake({ sft, dpo }: { sft?: string | undefined; dpo?: string | undefined }): 'best' | 'pairs' {
  if (sft === 'best' && dpo === undefined) return 'best';
  if (dpo === 'pairs' && sft === undefined) return 'pairs';
  return failUsage('say what to make of the rollouts: --sft best, or --dpo pairs.');
}

function describe({
  made,
  groups,
  leftOut,
  make,
}: Awaited<ReturnType<typeof rolloutsToData>> & { make: 'best' | 'pairs' }): string {
  const left = Object.entries(leftOut).map(([reason, count]) => `  ${count} groups left out: ${reason}\n`);
  if (made === undefined) return `none of ${groups} groups gives a row\n${left.join('')}`;
  const name = `${made.dataset.name}@${made.dataset.version}`;
  return (
    `${name}  ${made.dataset.row_count} rows of ${groups} groups\n${left.join('')}` +
    `  next: lachesis train ${make === 'best' ? 'sft' : 'dpo'} --dataset ${name}\n`
  );
}
