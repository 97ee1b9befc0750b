import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A browser of the machine, as a sandbox can start it. */
export interface FoundChromium {
  /** The program itself. */
  readonly executable: string;
  /** Its folder, where it is not below /usr, which every sandbox sees. */
  readonly folder: string | undefined;
}

export interface FindChromiumOptions {
  /** A path that a person set. */
  readonly executable?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
/** Debian's `chromium` is a script that reads files of /etc, which a sandbox does not have; this is what it starts. */
const BEHIND_SCRIPTS: Readonly<Record<string, string>> = {
  '/usr/bin/chromium': '/usr/lib/chromium/chromium',
  '/usr/bin/chromium-browser': '/usr/lib/chromium-browser/chromium-browser',
};

/** Chromium by a setting, by LACHESIS_CHROMIUM, or on the PATH; undefined where there is none. */
export function findChromium({ executable, env = process.env }: FindChromiumOptions = {}): FoundChromium | undefined {
  const named = executable ?? env['LACHESIS_CHROMIUM'];
  const places =
    named === undefined || named === ''
      ? (env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
      : [named];
  const found = places.find(isProgram);
  if (found === undefined) return undefined;
  const real = realpathSync(found);
  const behind = BEHIND_SCRIPTS[real];
  const program = behind !== undefined && isProgram(behind) ? behind : real;
  return { executable: program, folder: program.startsWith('/usr/') ? undefined : join(program, '..') };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path.startsWith('/');
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}
