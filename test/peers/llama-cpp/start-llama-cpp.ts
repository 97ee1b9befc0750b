import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';

const SCRIPT = fileURLToPath(new URL('serve.py', import.meta.url));
/** 100 MB of weights are read from a cold disk on a busy machine. */
const READY_MS = 60_000;

/** The interpreter of the venv that holds llama.cpp and SmolLM2; made by .ci/setup, named by .ci/env.sh. Undefined without one. */
export function findLlamaCppPython(): string | undefined {
  const path = process.env['LACHESIS_LLAMA_CPP_PYTHON'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

export interface LlamaCppServer extends AsyncDisposable {
  /** Without `/v1`. */
  readonly url: string;
}

/** The real server, loaded and answering. */
export async function startLlamaCpp(options: { python: string; model: string }): Promise<LlamaCppServer> {
  let announce: (url: string) => void;
  const announced = new Promise<string>((resolve) => (announce = resolve));
  const server = await startProcess({
    name: 'llama.cpp',
    // A test that is killed takes it along. `setpriv` becomes the program it starts.
    command: 'setpriv',
    args: ['--pdeathsig', 'KILL', options.python, '-B', SCRIPT, options.model],
    onLine: (line) => announce(line),
  });
  const late = AbortSignal.timeout(READY_MS);
  const gone = new Promise<undefined>((resolve) => {
    late.addEventListener('abort', () => resolve(undefined));
    void server.exited.then(() => resolve(undefined));
  });
  const url = await Promise.race([announced, gone]);
  if (url === undefined) {
    await server.stop();
    throw new Error(`llama.cpp did not start:\n${server.logs()}`);
  }
  // It holds nothing that a kill could break, and takes seconds to free its weights when asked.
  return { url, [Symbol.asyncDispose]: async () => void (await server.stop({ signal: 'SIGKILL' })) };
}
