import type { TransformInput } from '@lachesis/data';
import type { DatasetVersion } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { dataFilterFlags, readFilter } from '../../flags/filter.ts';
import { readNumber, readText } from '../../flags/read-value.ts';
import { formatDrops } from './rows.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { tenantFlags, withLibrary as withEither } from '../../flags/library/library.ts';

/** Where the sets are: behind a server, or in the local store. */
const listFlags = tenantFlags;

const list = defineCommand({
  meta: { name: 'list', description: 'Show data sets and their versions.' },
  args: listFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(listFlags, rawArgs);
    await withEither(args, async (library) => {
      const datasets = await library.listDatasets();
      if (args.json === true) writeJson(datasets);
      else if (datasets.length === 0)
        process.stdout.write('no data sets; make one with `lachesis data sets make <name>`\n');
      else for (const dataset of datasets) process.stdout.write(`${describe(dataset)}\n`);
    });
  },
});

const showFlags = {
  ...listFlags,
  ref: { type: 'positional', required: true, description: 'name or name@version' },
} as const;

const show = defineCommand({
  meta: { name: 'show', description: 'Show one version: what it was made by, and its rows by split.' },
  args: showFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(showFlags, rawArgs);
    await withEither(args, async (library) => {
      const dataset =
        (await library.readDataset(args.ref)) ??
        fail(`there is no data set ${args.ref}. \`lachesis data sets list\` shows them.`);
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify(dataset)}\n`
          : `${describe(dataset)}\ndigest ${dataset.content_digest}\nmade ${new Date(dataset.created_at).toISOString()} by ${JSON.stringify(dataset.recipe, null, 2)}\n`,
      );
    });
  },
});

const makeFlags = {
  ...listFlags,
  ...dataFilterFlags,
  name: { type: 'positional', required: true, description: 'what the set is called; a new version is made each time' },
  pairs: { type: 'boolean', description: 'pairs from feedback instead of conversations' },
  'held-out': { type: 'boolean', description: 'for measuring: its rows can enter no export and no training set' },
  'leave-out-held-out': { type: 'boolean', description: 'leave rows of held-out sets out instead of refusing' },
  complete: { type: 'boolean', description: 'leave out rows that were cut off or have no reply' },
  dedupe: { type: 'string', description: 'whole or prompt: keep one of the rows that say, or ask, the same' },
  mask: { type: 'string', description: 'train all-replies, last-reply or final-answers' },
  split: {
    type: 'string',
    description: 'shares by name, such as train=0.9,test=0.1; the same prompt is always in the same',
  },
  seed: { type: 'string', default: '0', description: 'of the split' },
  rows: { type: 'string', description: 'at most so many rows' },
  'per-prompt': { type: 'string', description: 'at most so many rows with the same prompt' },
  weights: { type: 'string', description: 'reward or rating: what becomes the weight of a row' },
} as const;

const make = defineCommand({
  meta: { name: 'make', description: 'Make a version of a data set from what was recorded. It never changes again.' },
  args: makeFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(makeFlags, rawArgs);
    const filter = readFilter(args, Date.now(), dataFilterFlags);
    const transforms = readTransforms(args);
    await withEither(args, async (library) => {
      const { dataset, dropped } = await library.makeDataset(args.name, {
        ...{ filter, transforms, kind: args.pairs === true ? 'preference' : 'conversation' },
        is_held_out: args['held-out'] === true,
        held_out: args['leave-out-held-out'] === true ? 'leave-out' : 'refuse',
      });
      if (args.json === true) writeJson({ dataset, dropped });
      else
        process.stdout.write(
          `${describe(dataset)}\n${dropped.length === 0 ? '' : `left out:\n${formatDrops(dropped)}`}`,
        );
    });
  },
});

const deleteFlags = {
  ...listFlags,
  ref: { type: 'positional', required: true, description: 'name@version' },
  force: { type: 'boolean', description: 'also one that a model learnt from, or was measured with' },
} as const;

const deleteOne = defineCommand({
  meta: { name: 'delete', description: 'Delete one version with its rows; what it held out is free again.' },
  args: deleteFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(deleteFlags, rawArgs);
    await withEither(args, async (library) => {
      const gone = await library.deleteDataset(args.ref, { force: args.force === true });
      if (args.json === true) writeJson(gone);
      else process.stdout.write(`deleted ${describe(gone)}\n`);
    });
  },
});

export const dataSetsCommand = defineCommand({
  meta: { name: 'sets', description: 'Make, list, show and delete data sets.' },
  subCommands: { delete: deleteOne, list, make, show },
});

/** In the order that makes sense: what is left out first, then what the rest is worth. */
function readTransforms(args: Record<string, unknown>): TransformInput[] {
  const transforms: TransformInput[] = [];
  const one = (name: string, choices: readonly string[]): string | undefined => {
    const value = readText(args, name);
    if (value !== undefined && !choices.includes(value)) {
      fail(`--${name} is one of ${choices.join(', ')}; ${JSON.stringify(value)} was given.`);
    }
    return value;
  };
  if (args['complete'] === true) transforms.push({ kind: 'complete' });
  const by = one('dedupe', ['whole', 'prompt']) as 'whole' | 'prompt' | undefined;
  if (by !== undefined) transforms.push({ kind: 'dedupe', by });
  const [rows, perPrompt] = ['rows', 'per-prompt'].map((name) =>
    args[name] === undefined ? undefined : readNumber(name, args[name]),
  );
  if (rows !== undefined || perPrompt !== undefined) {
    transforms.push({
      kind: 'cap',
      ...(rows === undefined ? {} : { rows }),
      ...(perPrompt === undefined ? {} : { per_prompt: perPrompt }),
    });
  }
  const train = one('mask', ['all-replies', 'last-reply', 'final-answers']) as
    | 'all-replies'
    | 'last-reply'
    | 'final-answers'
    | undefined;
  if (train !== undefined) transforms.push({ kind: 'mask', train });
  const shares = readText(args, 'split');
  if (shares !== undefined) {
    transforms.push({ kind: 'split', seed: readText(args, 'seed') ?? '0', shares: readShares(shares) });
  }
  const weights = one('weights', ['reward', 'rating']) as 'reward' | 'rating' | undefined;
  if (weights !== undefined) transforms.push({ kind: 'weights', by: weights });
  return transforms;
}

function readShares(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', share = ''] = part.split('=');
      return [name.trim(), readNumber('split', share)];
    }),
  );
}

function describe(dataset: DatasetVersion): string {
  const splits = Object.entries(dataset.splits).map(([split, count]) => `${split} ${String(count)}`);
  return `${dataset.name}@${dataset.version}  ${dataset.row_count} rows (${splits.join(', ')})${dataset.is_held_out ? '  held out' : ''}`;
}
