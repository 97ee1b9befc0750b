import { homedir } from 'node:os';
import path from 'node:path';

/** The folder of Lachesis: given, `LACHESIS_HOME`, or `.lachesis` of the user. */
export function findHome(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return given ?? environment['LACHESIS_HOME'] ?? path.join(homedir(), '.lachesis');
}
