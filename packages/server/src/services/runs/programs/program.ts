/** How this program is run: the interpreter, and what goes before the arguments of a command. */
export interface Program {
  file: string;
  arguments: readonly string[];
}

export const PROGRAM_VARIABLE = 'LACHESIS_PROGRAM';

/** The program that this process is. Undefined where it was not started as one, such as in a test. */
export function findOwnProgram(): Program | undefined {
  const main = process.argv[1];
  return main === undefined ? undefined : { file: process.execPath, arguments: [...process.execArgv, main] };
}

/** The program that the parent says it is. */
export function readProgram(env: Readonly<Record<string, string | undefined>>): Program | undefined {
  const text = env[PROGRAM_VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as Program);
}
