import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MathPair } from '../../peers/math-verify/run-math-verify.ts';

/** What Python said about a pair. */
export interface Verdict extends MathPair {
  readonly same: boolean;
}

const file = join(dirname(fileURLToPath(import.meta.url)), 'data', 'verdicts.jsonl');

export async function readVerdicts(): Promise<Verdict[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict);
}

export async function writeVerdicts(verdicts: readonly Verdict[]): Promise<void> {
  await writeFile(file, verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`).join(''));
}
