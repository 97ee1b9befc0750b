import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { findFreePort } from './find-free-port.ts';
import { LACHESIS_FROM_SOURCES, type LachesisCommand } from './lachesis-command.ts';
import { startProcess, type RunningProcess } from './start-process.ts';
import { waitForHttp } from './wait-for-http.ts';

const HOLD_ANSWERS = new URL('hold-answers.ts', import.meta.url).href;
const READY_MS = 60_000;

export interface StartControlServerOptions {
  /** Its home, and the folder it runs in. */
  readonly home: string;
  /** What runs `lachesis`; the sources by default. */
  readonly lachesis?: LachesisCommand;
  /** Flags besides host, port and home. */
  readonly flags?: readonly string[];
  /** Where the server writes each answer it gives, and what its document does not say of it; `reportAnswers` reads it. */
  readonly answers?: string | undefined;
  /** It asks for a token as after a first start, and leaves the first one in its home. */
  readonly wantsTokens?: boolean;
  /** A free one by default. */
  readonly port?: number;
  /** Added to the environment. A database and a token of the caller's are not passed on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ControlServer {
  readonly url: string;
  readonly process: RunningProcess;
}

/** `lachesis serve control` as a person starts it, open where nobody made a token before; it answers when this resolves. */
export async function startControlServer(options: StartControlServerOptions): Promise<ControlServer> {
  const { home, flags = [], env = {}, answers, wantsTokens = false } = options;
  const [program, ...words] = options.lachesis ?? LACHESIS_FROM_SOURCES;
  const port = options.port ?? (await findFreePort());
  const serving = await startProcess({
    command: program,
    args: [
      ...[...words, 'serve', 'control', ...flags],
      ...['--host', '127.0.0.1', '--port', String(port), '--home', home, '--log-level', 'warn'],
      ...(wantsTokens || hasTokens(home) ? [] : ['--no-token']),
    ],
    name: 'lachesis serve control',
    cwd: home,
    env: {
      ...{ DATABASE_URL: undefined, LACHESIS_TOKEN: undefined },
      ...(answers === undefined ? {} : { NODE_OPTIONS: `--import=${HOLD_ANSWERS}`, LACHESIS_TEST_ANSWERS: answers }),
      ...env,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitForHttp({ url: `${url}/health`, process: serving, timeoutMs: READY_MS });
  } catch (error) {
    await serving.stop();
    throw error;
  }
  return { url, process: serving };
}

function hasTokens(home: string): boolean {
  const file = join(home, 'lachesis.db');
  if (!existsSync(file)) return false;
  using database = new DatabaseSync(file, { readOnly: true });
  const { tokens } = database.prepare('SELECT count(*) AS tokens FROM tokens').get() as { tokens: number };
  return tokens > 0;
}
