import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { DatasetItem } from '../dataset/read-dataset.ts';

/** One prompt: what was said before the reply. */
const promptSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  /** What a reply should be, for rewards that know. */
  expected: z.unknown().optional(),
  split: z.string().default('train'),
});

export type Prompt = z.infer<typeof promptSchema>;

/** Reads prompts, one JSON object a line. A line that is none ends it with its number; there may be none for evaluation. */
export async function readPrompts(path: string): Promise<{ train: Prompt[]; evaluation: Prompt[] }> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const prompts = lines.map((line, index) => {
    const parsed = promptSchema.safeParse(parseLine(line));
    if (parsed.success) return parsed.data;
    throw new Error(
      `line ${index + 1} of ${path} is no prompt; write {"messages": [{"role": "user", "content": "…"}]}`,
    );
  });
  const train = prompts.filter(({ split }) => split === 'train');
  const evaluation = prompts.filter(({ split }) => split !== 'train');
  if (train.length === 0) throw new Error(`${path} has no prompt to train on`);
  return { train, evaluation };
}

/** Rows of a data set as prompts: a text is what the user says. */
export function toPrompts(
  { train, evaluation }: { train: readonly DatasetItem[]; evaluation: readonly DatasetItem[] },
  field: string,
): { train: Prompt[]; evaluation: Prompt[] } {
  const toPrompt = (split: string) => (item: DatasetItem, index: number) => {
    const messages = typeof item.prompt === 'string' ? [{ role: 'user', content: item.prompt }] : item.prompt;
    const parsed = promptSchema.safeParse({ messages, expected: item.answer, split });
    if (parsed.success) return parsed.data;
    throw new Error(`row ${index + 1} has no prompt in ${field}: it is neither a text nor a list of messages`);
  };
  return { train: train.map(toPrompt('train')), evaluation: evaluation.map(toPrompt('eval')) };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Told by whoever reads the lines, with the number of this one.
    return undefined;
  }
}
