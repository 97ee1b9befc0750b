import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LOG_FOLDER = fileURLToPath(new URL('../../../.ci/logs/', import.meta.url));

/** Keeps a run or a verdict as one line of JSON for later reading, where the continuous integration keeps its logs. */
export async function appendRecord(record: Readonly<Record<string, unknown>>): Promise<void> {
  if (!existsSync(LOG_FOLDER)) return;
  const line = JSON.stringify({ at: new Date().toISOString(), ...record });
  await appendFile(join(LOG_FOLDER, 'bench-trajectory-api.jsonl'), `${line}\n`);
}
