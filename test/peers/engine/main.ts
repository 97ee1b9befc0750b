import { EngineError, ensureTinyModel, prepareEngine } from '@lachesis/tinker/engine';

import { startProcess } from '../../kit/start-process.ts';
import { findPeerHome } from './peer-home.ts';
import { startEnginePeer } from './start-engine-peer.ts';

const [command, ...rest] = process.argv.slice(2);
const onProgress = ({ message }: { message: string }): void => void process.stderr.write(`${message}\n`);

switch (command) {
  case 'prepare':
    await prepare().catch((error: unknown) => {
      process.stderr.write(
        `${EngineError.isInstance(error) ? `${error.message}\n${error.output ?? ''}` : String(error)}\n`,
      );
      // Told apart from other failures by .ci/setup, which can get a Python.
      process.exitCode = EngineError.isInstance(error) && error.reason === 'python-missing' ? 3 : 1;
    });
    break;
  case 'train':
    await train(Number(rest[0] ?? 5));
    break;
  default:
    process.stderr.write('usage: main.ts prepare | train [steps]\n');
    process.exitCode = 2;
}

/** For .ci/setup: makes everything, and prints the interpreter that holds the engine and the official Python client. */
async function prepare(): Promise<void> {
  const shared = { home: findPeerHome(), onProgress };
  const { python } = await prepareEngine(shared);
  await ensureTinyModel(shared);
  await ensureTinyModel({ ...shared, tokenizer: 'qwen3' });
  process.stdout.write(`${python}\n`);
}

/** Shows that the engine trains: a few steps through the official Python client. */
async function train(steps: number): Promise<void> {
  await using engine = await startEnginePeer({ onProgress });
  const { python } = await prepareEngine({ home: findPeerHome() });
  await using client = await startProcess({
    command: python,
    args: [
      '-B',
      new URL('train_with_sdk.py', import.meta.url).pathname,
      engine.url,
      engine.modelDirectory,
      String(steps),
    ],
    name: 'the official client',
    onLine: (line) => process.stdout.write(`${line}\n`),
  });
  const { code } = await client.exited;
  if (code !== 0) throw new Error(`the official client failed:\n${client.logs()}`);
}
