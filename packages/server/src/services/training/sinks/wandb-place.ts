import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { WandbPlace } from './wandb-sink.ts';

const FILE = 'wandb.json';
const placeSchema = z.object({ entity: z.string().nullable(), project: z.string(), url: z.string().nullable() });

/** Notes in the folder of a run where it is at W&B, for whoever tells about the run. */
export const writeWandbPlace = (directory: string, place: WandbPlace): Promise<void> =>
  writeFile(join(directory, FILE), `${JSON.stringify(place)}\n`);

/** Undefined for a run that is not there. */
export async function readWandbPlace(directory: string): Promise<WandbPlace | undefined> {
  // Most runs have no such file, and a run without a folder has none either.
  const text = await readFile(join(directory, FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const found = placeSchema.safeParse(JSON.parse(text));
  return found.success ? found.data : undefined;
}
