import {
  createDropReport,
  HANDOFF_TRAINERS,
  type DroppedField,
  writeHandoff,
  writeHubFolder,
  writePieces,
  EXPORT_FORMATS,
} from '@lachesis/data';
import { pushToHub } from '@lachesis/sdk/hub';
import { type Consent, CONSENTS, type DataRecord } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { dataFilterFlags, readFilter } from '../../flags/filter.ts';
import { formatDrops } from './rows.ts';
import { tenantFlags, withLibrary } from '../../flags/library/library.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

type HandoffTrainer = (typeof HANDOFF_TRAINERS)[number];

/** Folders with the rows, the config or script of a trainer, and the words to type; `trl` alone is its rows. */
const HANDOFFS: Readonly<Record<string, HandoffTrainer>> = Object.fromEntries(
  HANDOFF_TRAINERS.map((trainer) => [trainer === 'trl' ? 'trl-handoff' : trainer, trainer]),
);
const FOLDER_FORMATS = ['hub', ...Object.keys(HANDOFFS)];

const flags = {
  ...tenantFlags,
  ...dataFilterFlags,
  format: {
    type: 'positional',
    required: true,
    description: `a file: ${Object.keys(EXPORT_FORMATS).join(', ')}; a folder: ${FOLDER_FORMATS.join(', ')}`,
  },
  output: { type: 'string', alias: 'o', description: 'the file or folder to write' },
  dataset: { type: 'string', description: 'a data set (name or name@version) instead of a filter' },
  pairs: { type: 'boolean', description: 'pairs from feedback instead of conversations' },
  consent: {
    type: 'string',
    default: 'train',
    description: 'what the rows are for, by what people allowed: train, evaluate or keep',
  },
  'base-model': { type: 'string', description: 'of a hand-off (default Qwen/Qwen3-8B)' },
  license: { type: 'string', description: 'of the data set card, such as apache-2.0' },
  'push-to-hub': { type: 'string', description: 'owner/name of a data set on the Hugging Face hub; needs HF_TOKEN' },
  public: { type: 'boolean', description: 'let everybody read what is pushed; it is private otherwise' },
} as const;

interface Written {
  path: string;
  rows: number;
  dropped: DroppedField[];
  /** What to type next. */
  commands?: string[];
  pushed?: { url: string; commit: string };
}

export const dataExportCommand = defineCommand({
  meta: { name: 'export', description: 'Write rows in a format that trainers read. Says what it leaves out.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags({ ...flags, o: flags.output }, rawArgs);
    if (EXPORT_FORMATS[args.format] === undefined && !FOLDER_FORMATS.includes(args.format)) {
      fail(
        `there is no format ${JSON.stringify(args.format)}. The formats are ${[...Object.keys(EXPORT_FORMATS), ...FOLDER_FORMATS].join(', ')}.`,
      );
    }
    if (args['push-to-hub'] !== undefined && args.format !== 'hub') fail('--push-to-hub goes with the format hub.');
    await withLibrary(args, async (library) => {
      const open = await library.exportRows({
        ...(args.dataset === undefined ? readFilter(args, Date.now(), dataFilterFlags) : { dataset: args.dataset }),
        kind: args.pairs === true ? 'preference' : 'conversation',
        purpose: readPurpose(args.consent),
      });
      const written = await write(args, open);
      process.stdout.write(args.json === true ? `${JSON.stringify(written)}\n` : describe(written));
    });
  },
});

async function write(
  args: Record<string, unknown>,
  { dataset, rows, dropped: listDropped }: Awaited<ReturnType<LibraryClient['exportRows']>>,
): Promise<Written> {
  let count = 0;
  const counted = async function* (): AsyncGenerator<DataRecord> {
    for await (const record of rows) {
      count += 1;
      yield record;
    }
  };
  const name = dataset?.name ?? 'records';
  const format = String(args['format']);
  const file = EXPORT_FORMATS[format];
  const path = resolve(typeof args['output'] === 'string' ? args['output'] : (file?.fileName ?? `${name}-${format}`));
  if (file !== undefined) {
    await mkdir(dirname(path), { recursive: true });
    const dropped = await writeFileWhole(path, file.write(counted()));
    return { path, rows: count, dropped: [...listDropped(), ...dropped] };
  }
  const about = {
    name,
    ...(dataset === null ? {} : { contentDigest: dataset.content_digest, recipe: dataset.recipe }),
    ...(typeof args['license'] === 'string' ? { license: args['license'] } : {}),
  };
  const trainer = HANDOFFS[format];
  if (trainer !== undefined) {
    const drops = createDropReport();
    const baseModel = args['base-model'];
    const { commands } = await writeHandoff({
      trainer,
      directory: path,
      records: counted(),
      drops,
      ...(typeof baseModel === 'string' ? { recipe: { baseModel } } : {}),
    });
    return { path, rows: count, dropped: [...listDropped(), ...drops.list()], commands };
  }
  const repository = args['push-to-hub'];
  const token = process.env['HF_TOKEN'];
  // Asked before the files are written: nobody should wait for an export that cannot be sent.
  if (repository !== undefined && token === undefined) fail('--push-to-hub needs a token that may write, in HF_TOKEN.');
  const folder = await writeHubFolder({ ...about, directory: path, records: counted() });
  const hubUrl = process.env['HF_ENDPOINT'];
  const pushed =
    typeof repository === 'string' && token !== undefined
      ? await pushToHub({
          directory: path,
          files: folder.files,
          repository,
          token,
          isPublic: args['public'] === true,
          ...(hubUrl === undefined ? {} : { hubUrl }),
        })
      : undefined;
  return { path, rows: count, dropped: listDropped(), ...(pushed === undefined ? {} : { pushed }) };
}

/** Writes the file and gives what the format itself dropped, which a generator says at its end. */
async function writeFileWhole(
  path: string,
  pieces: AsyncGenerator<string | Uint8Array, DroppedField[]>,
): Promise<DroppedField[]> {
  let dropped: DroppedField[] = [];
  const passed = async function* (): AsyncGenerator<string | Uint8Array> {
    dropped = yield* pieces;
  };
  await writePieces(path, passed());
  return dropped;
}

function readPurpose(purpose: string): Consent {
  return (
    CONSENTS.find((known) => known === purpose) ??
    fail(`--consent is one of ${CONSENTS.join(', ')}; ${JSON.stringify(purpose)} was given.`)
  );
}

function describe({ path, rows, dropped, commands, pushed }: Written): string {
  return [
    rows === 0
      ? `nothing to write to ${path}: no row fits. \`lachesis trajectories list\` takes the same filters\n`
      : `${rows} ${rows === 1 ? 'row' : 'rows'} in ${path}\n`,
    dropped.length === 0 ? '' : `left out:\n${formatDrops(dropped)}`,
    pushed === undefined ? '' : `pushed to ${pushed.url} (${pushed.commit})\n`,
    commands === undefined ? '' : `then, in ${path}:\n${commands.map((command) => `  ${command}\n`).join('')}`,
  ].join('');
}
