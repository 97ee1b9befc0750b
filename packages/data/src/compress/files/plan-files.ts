import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { CompressionError } from '../compression-error.ts';
import type { CompressionSettings } from '../settings/compression-settings.ts';

export interface FilePair {
  readonly input: string;
  readonly output: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** What is read, and where everything goes. */
export interface FilePlan {
  readonly files: readonly FilePair[];
  /** The file, or the folder. */
  readonly output: string;
  readonly metricsFile: string;
  /** Not named `.jsonl`: folders are read by that ending. */
  readonly journalFile: string;
  readonly lockFile: string;
  /** What somebody should know about the choice of files. */
  readonly notes: readonly string[];
}

export interface PlanFilesOptions {
  readonly input: string;
  readonly output?: string | undefined;
  readonly settings: Pick<CompressionSettings, 'outputSuffix' | 'metricsFile'>;
}

/** Decides what is read and written. Writes nothing. */
export async function planFiles({ input, output, settings }: PlanFilesOptions): Promise<FilePlan> {
  const path = resolve(input);
  const facts = await stat(path).catch((cause: unknown) => {
    throw new CompressionError({
      kind: 'bad-input',
      reason: `There is no ${input} to read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}).`,
      hint: 'Name a file of JSON lines, or a folder that holds some.',
      cause,
    });
  });
  const plan = facts.isDirectory() ? await planFolder(path, output, settings) : await planFile(path, output, settings);
  for (const { input: from, output: to } of plan.files) refuseSame(from, to);
  return plan;
}

async function planFile(
  input: string,
  output: string | undefined,
  { outputSuffix }: PlanFilesOptions['settings'],
): Promise<FilePlan> {
  // A packed file is read as it is and written plain.
  const stem = parse(input.endsWith('.gz') ? input.slice(0, -3) : input).name;
  const target = resolve(output ?? join(dirname(input), `${stem}${outputSuffix}.jsonl`));
  return {
    files: [await readPair(input, target)],
    output: target,
    metricsFile: join(dirname(target), `${parse(target).name}_metrics.json`),
    journalFile: `${target}.summaries`,
    lockFile: join(dirname(target), `.${basename(target)}.lock`),
    notes: [],
  };
}

async function planFolder(
  input: string,
  output: string | undefined,
  { outputSuffix, metricsFile }: PlanFilesOptions['settings'],
): Promise<FilePlan> {
  const target = resolve(output ?? join(dirname(input), `${basename(input)}${outputSuffix}`));
  refuseSame(input, target);
  const { names, notes } = chooseNames((await readdir(input)).filter((name) => name.endsWith('.jsonl')));
  if (names.length === 0) {
    throw new CompressionError({
      kind: 'bad-input',
      reason: `There is no .jsonl file in ${input}.`,
      hint: 'Name a folder that holds some, or one file.',
    });
  }
  return {
    files: await Promise.all(names.map((name) => readPair(join(input, name), join(target, name)))),
    output: target,
    metricsFile: join(target, metricsFile),
    journalFile: join(target, 'compression.summaries'),
    lockFile: join(target, '.compression.lock'),
    notes,
  };
}

const BATCH = /^batch_(?<number>\d+)\.jsonl$/;
const MERGED = 'trajectories.jsonl';

/** The folder of a batch run holds every row twice, in its batches and joined: they are read, and paid for, once. */
function chooseNames(all: readonly string[]): { names: string[]; notes: string[] } {
  const batches = all.filter((name) => BATCH.test(name));
  if (all.includes(MERGED) && batches.length > 0) {
    const left = all.filter((name) => name !== MERGED);
    return {
      names: [MERGED],
      notes: [`This is the folder of a batch run: ${MERGED} is read, and ${left.length} other files are not.`],
    };
  }
  return { names: all.toSorted(compareNames), notes: [] };
}

/** By name; batches by their number. */
function compareNames(left: string, right: string): number {
  const [one, other] = [left, right].map((name) => BATCH.exec(name)?.groups?.['number']);
  if (one !== undefined && other !== undefined && one !== other) return Number(one) - Number(other);
  return left < right ? -1 : Number(left > right);
}

async function readPair(input: string, output: string): Promise<FilePair> {
  const { size, mtimeMs } = await stat(input);
  return { input, output, bytes: size, modifiedMs: mtimeMs };
}

function refuseSame(input: string, output: string): void {
  if (resolve(input) !== resolve(output)) return;
  throw new CompressionError({
    kind: 'bad-output',
    reason: `The output ${output} is the input.`,
    hint: 'What was recorded is kept: name another output.',
  });
}
