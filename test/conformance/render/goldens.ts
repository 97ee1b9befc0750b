import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What Python said about one case. */
export interface Answer {
  readonly ids?: readonly number[];
  readonly mask?: readonly number[];
  readonly text?: string;
  readonly error?: string;
}

/** Enough of a SHA-256 that no two of some thousand lists of ids share it by chance. */
const DIGEST_LENGTH = 20;
const REFUSED = 'refused';

export const dataFolder = join(dirname(fileURLToPath(import.meta.url)), 'data');

export function digestIds(ids: ArrayLike<number>): string {
  return createHash('sha256').update(Array.from(ids).join(',')).digest('hex').slice(0, DIGEST_LENGTH);
}

/** That Python refused is part of the golden; with which words is not. */
export function digestAnswer(answer: Answer): string {
  return answer.ids === undefined ? REFUSED : digestIds(answer.ids);
}

export function digestRefusal(): string {
  return REFUSED;
}

export interface FamilyGoldens {
  readonly transformers: string;
  readonly conversations: readonly string[];
  readonly forgeries: readonly string[];
  /** The ids of a few conversations, to look at when a digest differs. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
}

export async function readGoldens<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(join(dataFolder, `${name}.json`), 'utf8')) as T;
}

export async function writeGoldens(name: string, goldens: unknown): Promise<void> {
  // One entry a line, so that a difference can be read.
  const text = JSON.stringify(goldens, null, 1)
    .replaceAll(/\n\s+(?=-?\d+,?\n)/g, ' ')
    .replaceAll(/(?<=\d)\n\s+\]/g, ' ]');
  await writeFile(join(dataFolder, `${name}.json`), `${text}\n`);
}
