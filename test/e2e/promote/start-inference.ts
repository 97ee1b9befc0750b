import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { cli } from '../capture/start-up.ts';

export interface StartedInference {
  url: string;
  process: RunningProcess;
}

/** `lachesis serve inference` in a process of its own. */
export async function startInference(options: {
  home: string;
  engineUrl: string;
  model: string;
  args: readonly string[];
}): Promise<StartedInference> {
  const { home, engineUrl, model, args } = options;
  const port = await findFreePort();
  const server = await startProcess({
    name: 'lachesis serve inference',
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', cli, 'serve', 'inference', '--home', home, '--host', '127.0.0.1'],
      ...['--port', String(port), '--engine-url', engineUrl, '--base-model', model, '--no-token', ...args],
    ],
    env: { TINKER_BASE_URL: undefined, DATABASE_URL: undefined },
  });
  const url = `http://127.0.0.1:${port}`;
  await waitForHttp({ url: `${url}/health`, process: server, timeoutMs: 90_000 });
  return { url, process: server };
}
