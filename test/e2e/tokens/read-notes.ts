import { existsSync, readFileSync } from 'node:fs';

export interface Note {
  /** The run it was started for; undefined for a check or a test. */
  readonly run: string | undefined;
  /** Its variables without those that hold its own token. */
  readonly withoutToken: Readonly<Record<string, string>>;
}

/** By which an environment is told who it is. */
const OWN = new Set(['LACHESIS_TOKEN', 'LACHESIS_OPENAI_API_KEY']);

/** What the environment wrote down of each start. */
export function readNotes(path: string): Note[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const variables = JSON.parse(line) as Record<string, string>;
    return {
      run: variables['LACHESIS_RUN_ID'],
      withoutToken: Object.fromEntries(Object.entries(variables).filter(([name]) => !OWN.has(name))),
    };
  });
}
