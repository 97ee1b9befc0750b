import { defaultHome } from '@lachesis/protocol/home';
import { homedir } from 'node:os';

/** The folder of Lachesis: given, `LACHESIS_HOME`, or `.lachesis` of the user. */
export function findHome(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return given ?? env['LACHESIS_HOME'] ?? defaultHome(homedir());
}
