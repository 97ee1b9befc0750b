import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { z } from 'zod';

/** What is written about an engine before it is started; the process table says whether it runs. */
const engineStateSchema = z.object({
  version: z.literal(1),
  /** Differs for each start, so that who ends one life does not remove the file of the next. */
  life: z.string(),
  url: z.url(),
  model_directory: z.string(),
  log_file: z.string(),
  started_at_ms: z.number(),
  /** Absent until the operating system has it. */
  pid: z.number().int().positive().optional(),
  /** The largest LoRA rank it was started for; states written before this was kept lack it. */
  max_lora_rank: z.number().int().positive().optional(),
  /** The engine, not just its API, has answered for itself. */
  is_ready: z.boolean(),
});

export type EngineState = z.infer<typeof engineStateSchema>;

/** Undefined when there is no file, or one that this version cannot read: the process table is asked in either case. */
export async function readEngineState(file: string): Promise<EngineState | undefined> {
  try {
    return engineStateSchema.safeParse(JSON.parse(await readFile(file, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Appears whole or not at all: a reader never sees half of it. */
export async function writeEngineState(file: string, state: EngineState): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const staged = `${file}.${randomUUID()}`;
  await writeFile(staged, `${JSON.stringify(state, null, 2)}\n`);
  await rename(staged, file);
}

/** Removes the file if it still tells of that life. */
export async function removeEngineState(file: string, life: string): Promise<void> {
  const state = await readEngineState(file);
  if (state?.life === life) await rm(file, { force: true });
}
