import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';
import { findAtroposPython, finishPython } from '../../peers/atropos/run-python.ts';
import { startLachesis } from '../../peers/atropos/start-lachesis.ts';
import { startServer } from '../../peers/atropos/start-server.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import { startInference } from '../../peers/openai/start-inference.ts';
import { preparePeft } from '../peft-download/prepare-peft.ts';
import { BATCH_SIZE, GROUP_SIZE } from './feed-trainer.ts';

const PEERS = fileURLToPath(new URL('../../peers/atropos', import.meta.url));
const ENVIRONMENT = fileURLToPath(new URL('vowels.ts', import.meta.url));
/** Importing torch takes half a minute on a busy machine. */
const TRAINING_MS = 300_000;

/** What the example trainer says of a step. */
export type TorchStep = Readonly<Record<string, number | boolean>>;

/** An environment of ours and a real engine feed the example trainer with its own model, loss and optimiser. */
export async function trainTorch(options: {
  readonly steps: number;
  readonly cwd: string;
  readonly log: (text: string) => void;
  /** Ends what was started, also when the show is interrupted. */
  readonly defer: (cleanup: () => Promise<void>) => void;
}): Promise<TorchStep[]> {
  const { cwd, log } = options;
  const python = await preparePeft({ log });
  await using stack = new AsyncDisposableStack();
  options.defer(() => stack.disposeAsync());
  const engine = await startEnginePeer({ onProgress: ({ message }) => log(message) });
  stack.defer(() => engine.stop());
  const api = stack.use(await startServer());
  const inference = stack.use(
    await startInference({ args: ['--engine-url', engine.url, '--tokenizer', engine.modelDirectory] }),
  );
  stack.use(
    await startLachesis({
      args: [
        ...['env', 'serve', ENVIRONMENT, '--env.rollout_server_url', api.url, '--env.total_steps', '1000'],
        ...[
          '--openai.base_url',
          `${inference.url}/v1`,
          '--env.max_num_workers',
          '2',
          '--env.max_batches_offpolicy',
          '1',
        ],
      ],
      cwd,
      home: cwd,
    }),
  );
  const [packages] = globSync(join(dirname(dirname(findAtroposPython())), 'lib', 'python3*', 'site-packages'));
  if (packages === undefined) throw new Error('atroposlib has no packages: run .ci/setup again');
  const steps: TorchStep[] = [];
  const trainer = stack.use(
    await startProcess({
      command: python,
      args: [
        ...[join(PEERS, 'torch_trainer.py'), api.url, engine.modelDirectory],
        ...['--packages', packages, '--stand-ins', join(PEERS, 'stand-ins'), '--steps', String(options.steps)],
        ...['--batch-size', String(BATCH_SIZE), '--micro-batch', String(GROUP_SIZE)],
      ],
      name: 'the example trainer',
      cwd,
      env: { PYTHONUNBUFFERED: '1', HF_HUB_OFFLINE: '1', no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' },
      onLine: (line) => {
        if (line.startsWith('{')) steps.push(JSON.parse(line) as TorchStep);
        else log(line);
      },
    }),
  );
  await finishPython(trainer, { timeoutMs: TRAINING_MS });
  return steps;
}
