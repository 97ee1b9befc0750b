import { join } from 'node:path';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';

const CLI = join(import.meta.dirname, '../../../packages/cli/dist/main.js');

/** Where the home is. */
export interface HomePlace {
  home: string;
  databaseUrl: string;
  /** Where the payloads are, and the keys of it. */
  env?: Readonly<Record<string, string>>;
}

/** A command of `lachesis` as a user types it. */
async function startLachesis({ home, databaseUrl, env = {} }: HomePlace, words: string[]): Promise<RunningProcess> {
  const args = [CLI, ...words, '--home', home, '--database-url', databaseUrl];
  return await startProcess({ command: process.execPath, args, name: `lachesis ${words[0]}`, env });
}

export async function runLachesis(place: HomePlace, ...words: string[]): Promise<string> {
  const running = await startLachesis(place, words);
  const { code } = await running.exited;
  if (code !== 0) throw new Error(`lachesis ${words.join(' ')} ended with ${code}:\n${running.logs()}`);
  return running.logs();
}

export const startGc = (place: HomePlace, ...words: string[]): Promise<RunningProcess> =>
  startLachesis(place, ['gc', ...words]);

export const runGc = (place: HomePlace, ...words: string[]): Promise<string> => runLachesis(place, 'gc', ...words);
