import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runRenderer } from '../../peers/transformers/run-renderer.ts';
import type { Answer } from './goldens.ts';

const script = join(dirname(fileURLToPath(import.meta.url)), 'render_goldens.py');

/** Some thousand conversations take a minute on a busy machine, loading the tokenizers included. */
const TIMEOUT_MS = 600_000;

export async function askPython(python: string, lines: readonly string[]): Promise<Answer[]> {
  const answers = await runRenderer({
    python,
    script,
    input: lines.map((line) => `${line}\n`).join(''),
    timeoutMs: TIMEOUT_MS,
  });
  if (answers.length !== lines.length) throw new Error(`${lines.length} cases, ${answers.length} answers`);
  return answers.map((line) => JSON.parse(line) as Answer);
}
