import { defaultHome } from '@lachesis/protocol/home';
import { homedir } from 'node:os';

/** The folder of Lachesis: given, `LACHESIS_HOME`, or `.lachesis` of the user. */
export function findHome(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return given ?? environment['LACHESIS_HOME'] ?? defaultHome(homedir());
}
