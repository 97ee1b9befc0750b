import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import { startProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { MODEL } from './prepare-home.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

export interface ServedHome extends AsyncDisposable {
  readonly inferenceUrl: string;
}

/** `lachesis serve inference` for what is promoted, recording every call. */
export async function serveInference({ home, engineUrl }: { home: string; engineUrl: string }): Promise<ServedHome> {
  const port = await findFreePort();
  const serving = await startProcess({
    name: 'lachesis serve inference',
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'serve', 'inference', '--model', MODEL, '--engine-url', engineUrl],
      ...['--host', '127.0.0.1', '--port', String(port), '--home', home, '--log-level', 'warn', '--no-token'],
    ],
    env: { TINKER_BASE_URL: undefined, TINKER_API_KEY: 'tml-none', DATABASE_URL: undefined },
  });
  const inferenceUrl = `http://127.0.0.1:${port}`;
  const dispose = async (): Promise<void> => void (await serving.stop({ graceMs: 15_000 }));
  try {
    await waitForHttp({ url: `${inferenceUrl}/health`, process: serving, timeoutMs: 90_000 });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { inferenceUrl, [Symbol.asyncDispose]: dispose };
}

/** The server through which people rate. */
export async function serveControl(home: string): Promise<{ url: string } & AsyncDisposable> {
  const { url, process: serving } = await startControlServer({ home });
  return { url, [Symbol.asyncDispose]: async () => void (await serving.stop()) };
}
