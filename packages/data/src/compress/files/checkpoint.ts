import { open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import { aggregateSchema } from '../metrics/aggregate.ts';

const checkpointSchema = z.object({
  version: z.literal(1),
  /** Of the input and the settings; with others the file is begun again. */
  identity: z.string(),
  /** Everything up to this line of the input is in the output. */
  line: z.int().nonnegative(),
  /** JSON rows before and with that line: a sample counts those. */
  rows: z.int().nonnegative(),
  outputBytes: z.int().nonnegative(),
  isDone: z.boolean(),
  sums: aggregateSchema,
});

/** How far a file has come. */
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Undefined when there is none, or one that cannot be read: then the file is begun again, and the journal has its summaries. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  try {
    return checkpointSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // Absent, half written by another program, or of another version: all mean to begin.
    return undefined;
  }
}

export const formatCheckpoint = (checkpoint: Checkpoint): string => JSON.stringify(checkpoint);

/** Whoever dies in between leaves the one before. */
export async function writeCheckpoint(path: string, checkpoint: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  const handle = await open(unfinished, 'w');
  try {
    await handle.writeFile(checkpoint);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, path);
}
