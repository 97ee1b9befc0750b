import { IMPORT_FORMATS, toCaptureRecords } from '@lachesis/data';
import type { ReadProblem, Repair } from '@lachesis/data';
import { type CaptureRecord, type Consent, CONSENTS, type DataRecord, type DatasetVersion } from '@lachesis/protocol';
import { ClientError, type LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { basename } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { readFileRows } from './read-file-rows.ts';
import { formatDrops } from './rows.ts';
import { tenantFlags, withLibrary } from '../../flags/library/library.ts';
import { writeJson } from '../../terminal/screen.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

/** Problems that are printed; the others are counted. */
const PROBLEMS_SHOWN = 10;

interface CountedRepair extends Repair {
  count: number;
}

const flags = {
  ...tenantFlags,
  file: { type: 'positional', required: true, description: 'the file to read' },
  format: { type: 'string', description: `${IMPORT_FORMATS.join(', ')} (default: found by the file)` },
  name: { type: 'string', description: 'the data set to make (default: the name of the file)' },
  consent: {
    type: 'string',
    description: 'what the people in it allowed: train, evaluate or keep (default: as the rows say)',
  },
  record: {
    type: 'boolean',
    default: true,
    description: 'bring the conversations into the library too, as import:<name>; --no-record does not',
  },
  'held-out': { type: 'boolean', description: 'for measuring: its rows can enter no export and no training set' },
} as const;

export const dataImportCommand = defineCommand({
  meta: {
    name: 'import',
    description: 'Read a file into a data set, and say what was repaired and what could not be read.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const consent = args.consent === undefined ? undefined : CONSENTS.find((known) => known === args.consent);
    if (args.consent !== undefined && consent === undefined) fail(`--consent is one of ${CONSENTS.join(', ')}.`);
    const found = { problems: [] as ReadProblem[], repairs: new Map<string, CountedRepair>() };
    await withLibrary(args, async (library) => {
      const { dataset, dropped, redacted } = await library
        .importDataset(args.name ?? nameAfter(args.file), {
          ...{ rows: readRecords(args.file, args.format, consent, found), source: basename(args.file) },
          is_held_out: args['held-out'] === true,
        })
        .catch(async (error: unknown) => {
          throw await nameLine(error, args.file, args.format);
        });
      const recorded = args.record ? await recordRows(library, dataset) : 0;
      const repairs = [...found.repairs.values()];
      if (args.json === true) {
        writeJson({ dataset, dropped, repairs, problems: found.problems, redacted, recorded });
        return;
      }
      process.stdout.write(`${dataset.name}@${dataset.version}  ${dataset.row_count} rows\n`);
      if (repairs.length > 0)
        process.stdout.write(
          `repaired:\n${repairs.map(({ kind, what, count }) => `  ${count} × ${kind}: ${what}\n`).join('')}`,
        );
      if (recorded > 0) process.stdout.write(`recorded: lachesis trajectories list --source ${sourceOf(dataset)}\n`);
      if (redacted > 0) process.stdout.write(`taken out: ${redacted} secrets\n`);
      if (dropped.length > 0) process.stdout.write(`left out:\n${formatDrops(dropped)}`);
      if (found.problems.length > 0) {
        const lines = found.problems.slice(0, PROBLEMS_SHOWN).map(({ at, reason }) => `  ${at}: ${reason}\n`);
        process.stdout.write(`${found.problems.length} rows could not be read:\n${lines.join('')}`);
      }
    });
  },
});

/** Records of one request: well below what a server takes at once. */
const TOGETHER = 600;

const sourceOf = ({ name }: DatasetVersion): string => `import:${name}`.slice(0, 100);

/**
 * Brings the conversations of a set into the library, to be read, rated and compared like the rest. Rows that came from it are
 * there; the same file again changes nothing. Gives how many there are.
 */
async function recordRows(library: LibraryClient, dataset: DatasetVersion): Promise<number> {
  const source = sourceOf(dataset);
  let [count, waiting]: [number, CaptureRecord[]] = [0, []];
  for await (const row of library.readDatasetRows(`${dataset.name}@${dataset.version}`)) {
    if (row.kind !== 'conversation' || row.trajectory_id !== null) continue;
    const key = `${source}@${dataset.version}/${count}`;
    const { messages, tools, model, consent, reward, tags } = row;
    const at = Date.parse(row.timestamp ?? '');
    const when = Number.isNaN(at) ? dataset.created_at : at;
    waiting.push(...toCaptureRecords({ key, source, messages, tools, model, consent, reward, tags, at: when }));
    count += 1;
    if (waiting.length < TOGETHER) continue;
    await library.sendRecords(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await library.sendRecords(waiting);
  return count;
}

async function* readRecords(
  path: string,
  format: string | undefined,
  consent: Consent | undefined,
  found: { problems: ReadProblem[]; repairs: Map<string, CountedRepair> },
): AsyncGenerator<DataRecord> {
  for await (const result of readFileRows(path, format)) {
    if ('problem' in result) {
      found.problems.push(result.problem);
      continue;
    }
    for (const repair of result.repairs) {
      const known = found.repairs.get(repair.kind);
      if (known === undefined) found.repairs.set(repair.kind, { ...repair, count: 1 });
      else known.count += 1;
    }
    yield consent === undefined ? result.record : { ...result.record, consent };
  }
}

/** A server says which row it refuses; a person looks for a line of the file, which is read once more for that. */
async function nameLine(error: unknown, path: string, format: string | undefined): Promise<unknown> {
  const [issue] = ClientError.isInstance(error) ? (error.issues ?? []) : [];
  const row = /^rows\.(\d+)\.?(.*)$/.exec(issue?.field ?? '');
  if (row === null) return error;
  let place = 0;
  for await (const result of readFileRows(path, format)) {
    if ('problem' in result) continue;
    if (place === Number(row[1])) {
      const what = `${row[2] === '' ? '' : `${row[2]}: `}${issue?.message}`;
      return new Error(`${result.at ?? `row ${place}`} of ${path} is refused, and nothing was imported: ${what}`);
    }
    place += 1;
  }
  return error;
}

/** Letters, digits and lines of the file's name. */
function nameAfter(path: string): string {
  const name = basename(path)
    .replace(/(?:\.\w+)+$/, '')
    .replaceAll(/[^\w-]+/g, '-');
  return name === '' ? 'imported' : name;
}
