import { constants, createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { readLines } from '../import/lines/read-lines.ts';
import { type BatchInput, batchInputSchema } from './batch-agent.ts';
import { BatchError } from './batch-error.ts';

export interface PromptsRead {
  inputs: BatchInput[];
  /** Rows that hold no prompt, by the number of their line. */
  skipped: { line: number; reason: string }[];
}

/** The prompts of a JSONL file in order. Equal prompts stay items of their own; an index counts the rows that hold a prompt. */
export async function readPrompts(
  path: string,
  options: { maxSamples?: number | undefined } = {},
): Promise<PromptsRead> {
  const { maxSamples = Number.POSITIVE_INFINITY } = options;
  const inputs: BatchInput[] = [];
  const skipped: PromptsRead['skipped'] = [];
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    const what = error.code === 'ENOENT' ? `There is no file ${path}` : `${path} cannot be read: ${error.message}`;
    throw new BatchError({ kind: 'refused', what, hint: 'Name a JSONL file with rows {"prompt": "…"}', cause: error });
  });
  // By line feeds alone: other signs that end lines may stand inside a prompt.
  for await (const line of readLines(createReadStream(path))) {
    if ('problem' in line) {
      throw new BatchError({ kind: 'refused', what: `${path} cannot be read at line ${line.at}: ${line.problem}` });
    }
    const input = readRow(line.text);
    if (typeof input === 'string') skipped.push({ line: line.at, reason: input });
    else inputs.push(input);
    if (inputs.length >= maxSamples) break;
  }
  return { inputs, skipped };
}

function readRow(text: string): BatchInput | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is not JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  const { success, data, error } = batchInputSchema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  return place === 'prompt' || place === '' ? 'it has no text "prompt"' : `"${place}" is no text`;
}
