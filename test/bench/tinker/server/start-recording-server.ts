import { fileURLToPath } from 'node:url';

import { startProcess } from '../../../kit/start-process.ts';
import type { RunningProcess } from '../../../kit/start-process.ts';
import type { RecordingServerOptions } from './recording.ts';

const ENTRY = fileURLToPath(new URL('recording-server-process.ts', import.meta.url));
const START_TIMEOUT_MS = 20_000;

export interface RecordingServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts the server in a process of its own, so that no client shares a thread with it. */
export async function startRecordingServer(options: RecordingServerOptions): Promise<RecordingServer> {
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  const server = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', ENTRY, JSON.stringify(options)],
    name: 'recording server',
    onLine: (line) => {
      if (line.startsWith('URL ')) resolve(line.slice('URL '.length));
    },
  });
  const fail = (): void => reject(new Error(`the recording server did not start: ${server.logs()}`));
  const timer = setTimeout(fail, START_TIMEOUT_MS);
  void server.exited.then(fail);
  try {
    return { url: await url, [Symbol.asyncDispose]: () => stop(server) };
  } catch (error) {
    await stop(server);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function stop(server: RunningProcess): Promise<void> {
  // It keeps nothing, and asked politely it would first wait for connections that are kept alive.
  await server.stop({ signal: 'SIGKILL' });
}
