import { join } from 'node:path';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';

const CLI = join(import.meta.dirname, '../../../packages/cli/dist/main.js');

/** Where the home is. */
export interface HomePlace {
  home: string;
  databaseUrl: string;
}

/** `lachesis gc` as a user types it. */
export async function startGc({ home, databaseUrl }: HomePlace, ...words: string[]): Promise<RunningProcess> {
  const args = [CLI, 'gc', '--home', home, '--database-url', databaseUrl, ...words];
  return await startProcess({ command: process.execPath, args, name: 'lachesis gc', env: {} });
}

export async function runGc(place: HomePlace, ...words: string[]): Promise<string> {
  const gc = await startGc(place, ...words);
  const { code } = await gc.exited;
  if (code !== 0) throw new Error(`lachesis gc ended with ${code}:\n${gc.logs()}`);
  return gc.logs();
}
