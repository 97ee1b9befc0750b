import { fileURLToPath } from 'node:url';

import { startProcess } from '../../../kit/start-process.ts';
import type { EngineDelays, EngineJob } from './engine-options.ts';

const ENTRY = fileURLToPath(new URL('engine-process.ts', import.meta.url));
const START_TIMEOUT_MS = 20_000;

export interface FixedEngine extends AsyncDisposable {
  readonly url: string;
  /** What it did since this was last asked. */
  takeJobs(): Promise<readonly EngineJob[]>;
}

/** Starts the engine of fixed delays in a process of its own. */
export async function startFixedEngine(delays: EngineDelays): Promise<FixedEngine> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const engine = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', ENTRY, JSON.stringify(delays)],
    name: 'engine of fixed delays',
    onLine: (line) => {
      if (line.startsWith('URL ')) resolve(line.slice('URL '.length));
    },
  });
  const fail = (): void => reject(new Error(`the engine did not start: ${engine.logs()}`));
  const timer = setTimeout(fail, START_TIMEOUT_MS);
  void engine.exited.then(fail);
  // It keeps nothing, and asked politely it would first wait for connections that are kept alive.
  const stop = async (): Promise<void> => void (await engine.stop({ signal: 'SIGKILL' }));
  try {
    const url = await promise;
    return {
      url,
      takeJobs: async () => (await (await fetch(`${url}/jobs`, { method: 'POST', body: '{}' })).json()) as EngineJob[],
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
