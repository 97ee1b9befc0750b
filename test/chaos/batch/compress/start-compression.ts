import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CompressionJob } from './compress-process.ts';

const SCRIPT = fileURLToPath(new URL('compress-process.ts', import.meta.url));
const KEPT_LOG_CHARACTERS = 16_384;

/** A process that has loaded everything and waits for its work. */
export interface WaitingCompression extends AsyncDisposable {
  begin(job: CompressionJob): Promise<void>;
  isRunning(): boolean;
  /** False when it has ended before. */
  kill(): Promise<boolean>;
  /** Resolves when it has come to its end; throws when that was a bad one. */
  finished(): Promise<void>;
}

export function startCompression({ cache }: { cache: string }): WaitingCompression {
  const child: ChildProcess = fork(SCRIPT, {
    execArgv: ['--conditions=lachesis-source', '--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let logs = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (logs = (logs + text).slice(-KEPT_LOG_CHARACTERS)));
  const exited = once(child, 'exit');
  const ready = Promise.race([once(child, 'message'), exited]);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (): Promise<boolean> => {
    const isKilled = isRunning() && child.kill('SIGKILL');
    await exited;
    return isKilled && child.signalCode === 'SIGKILL';
  };
  return {
    async begin(job) {
      await ready;
      if (!isRunning()) throw new Error(`the compression could not load:\n${logs}`);
      child.send(job);
    },
    isRunning,
    kill,
    async finished() {
      await exited;
      if (child.exitCode !== 0) throw new Error(`the compression ended with ${child.exitCode ?? 'a signal'}:\n${logs}`);
    },
    [Symbol.asyncDispose]: async () => void (await kill()),
  };
}
