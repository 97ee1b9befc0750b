import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';
import type { RunningProcess } from '../../kit/start-process.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

export interface StartLachesisOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  /** `LACHESIS_HOME` of the command. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onLine?: (line: string) => void;
}

/** A command of ours as built, with nothing of this shell's settings. */
export async function startLachesis(options: StartLachesisOptions): Promise<RunningProcess> {
  if (!existsSync(CLI)) throw new Error(`${CLI} is not there: run \`pnpm build\` first`);
  return startProcess({
    command: process.execPath,
    args: [CLI, ...options.args],
    name: `lachesis ${options.args.slice(0, 2).join(' ')}`,
    cwd: options.cwd,
    env: {
      LACHESIS_HOME: options.home,
      DATABASE_URL: undefined,
      TINKER_BASE_URL: undefined,
      TINKER_API_KEY: 'tml-none',
      ...options.env,
    },
    ...(options.onLine === undefined ? {} : { onLine: options.onLine }),
  });
}
