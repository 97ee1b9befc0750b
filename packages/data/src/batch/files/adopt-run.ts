import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { openWork, type JobRef } from '@lachesis/store';
import { z } from 'zod';
import { readLines } from '../../import/lines/read-lines.ts';
import type { BatchInput } from '../batch-agent.ts';
import { findRunFiles } from './open-run-files.ts';

const entrySchema = z.looseObject({
  prompt_index: z.int().min(0),
  completed: z.boolean(),
  conversations: z.array(z.looseObject({ from: z.string(), value: z.unknown() })),
});

/**
 * Takes over what another runner finished in this folder. A row counts when its index and its question are those of a prompt;
 * one that says it was not completed is done again.
 */
export async function adoptRun(
  place: JobRef,
  { directory, inputs }: { directory: string; inputs: readonly BatchInput[] },
): Promise<number> {
  const adopted = new Set<number>();
  const batches = (await findRunFiles(directory)).filter((name) => name.startsWith('batch_'));
  for (const name of batches) {
    for await (const read of readLines(createReadStream(join(directory, name)))) {
      const line = 'text' in read ? read.text : '';
      const entry = readEntry(line);
      if (entry === undefined || !entry.completed || adopted.has(entry.prompt_index)) continue;
      const question = entry.conversations.find(({ from }) => from === 'human')?.value;
      if (question !== inputs[entry.prompt_index]?.prompt) continue;
      await openWork(place).adopt({ index: entry.prompt_index, result: { line } });
      adopted.add(entry.prompt_index);
    }
  }
  return adopted.size;
}

function readEntry(line: string): z.infer<typeof entrySchema> | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    // A line that a crash cut off; its prompt is done again.
    return undefined;
  }
}
