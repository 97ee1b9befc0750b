import { listModels } from '@lachesis/sdk/agent';
import { createInterface } from 'node:readline/promises';
import { fail } from '../terminal/fail.ts';

export interface ChooseModelOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** What to type where nobody can be asked, with `<model>` for the name. */
  readonly command: string;
}

/** Longer lists, such as that of OpenRouter, are not read; who sees one types a name. */
const MOST_SHOWN = 20;

/** The model to ask for: the one a server has, else the one that the person at the terminal names. Elsewhere it is refused with the choices. */
export async function chooseModel({ url, apiKey, command }: ChooseModelOptions): Promise<string> {
  const models = await listModels({ url, apiKey }).catch((error: unknown) =>
    fail(
      `the server of the model cannot be asked which it has: ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
  const [only] = models;
  if (models.length === 1 && only !== undefined) return only;
  if (models.length === 0) return fail(`${url} names no model. Say which: ${command}`);
  if (!isTerminal()) {
    return fail(`${url} has ${models.length} models: ${name(models)}. Say which: ${command}`);
  }
  return pickModel(url, models);
}

/** Whether somebody can be asked. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

function name(models: readonly string[]): string {
  const more = models.length - MOST_SHOWN;
  return `${models.slice(0, MOST_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Asks the person at the terminal. */
export async function pickModel(url: string, models: readonly string[]): Promise<string> {
  const lines = models.slice(0, MOST_SHOWN).map((model, index) => `  ${String(index + 1).padStart(2)}  ${model}\n`);
  const more = models.length > MOST_SHOWN ? `  and ${models.length - MOST_SHOWN} more\n` : '';
  process.stderr.write(`${url} has these models:\n${lines.join('')}${more}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const typed = (await terminal.question('which one (a number or a name)? ')).trim();
      const chosen = models.includes(typed) ? typed : models[Number(typed) - 1];
      if (chosen !== undefined) return chosen;
      process.stderr.write(`there is no ${JSON.stringify(typed)} among them\n`);
    }
  } finally {
    terminal.close();
  }
}
