import { startProcess } from '../../kit/start-process.ts';
import { CLI } from '../trajectory-api/subject/start-subject.ts';

/** Long enough for a busy machine; a refusal takes a second. */
const END_MS = 60_000;

export interface Refusal {
  /** It ended by itself, with an error, and was not started again and again before. */
  readonly isFinal: boolean;
  readonly text: string;
}

/** Starts a trajectory API that must not start, and returns what it said. */
export async function startRefused(options: {
  home: string;
  databaseUrl: string | undefined;
  port: number;
}): Promise<Refusal> {
  await using server = await startProcess({
    command: process.execPath,
    args: [CLI, 'serve', 'trajectory-api'],
    env: {
      LACHESIS_TRAJECTORY_API_PORT: String(options.port),
      LACHESIS_HOME: options.home,
      DATABASE_URL: options.databaseUrl,
    },
  });
  const limit = setTimeout(() => server.signal('SIGTERM'), END_MS);
  const { code } = await server.exited;
  clearTimeout(limit);
  const text = server.logs();
  return { isFinal: code !== null && code !== 0 && !text.includes('starting it again'), text };
}
