import type { RunningProcess } from '../../kit/start-process.ts';
import { readJsonLines } from './start-environment.ts';
import { finishPython, runPython } from './run-python.ts';

export interface TrainerOptions {
  readonly url: string;
  readonly batchSize: number;
  readonly cwd: string;
}

export interface DeliveredGroup {
  /** How many keys the group had on the wire. */
  readonly keys: number;
  readonly number: number | null;
  readonly env_id: number | null;
  readonly sequences: number;
  readonly first_token: number;
  /** Whether Python read every score as a float. */
  readonly floats: boolean;
}

export interface DeliveredBatch {
  readonly groups: readonly DeliveredGroup[];
}

/** Takes batches with the example trainer's `get_batch` until it is stopped, one line of `recordPath` per batch. */
export async function followBatches(options: TrainerOptions & { recordPath: string }): Promise<RunningProcess> {
  return runPython({
    args: [
      './trainer.py',
      'follow',
      options.url,
      '--batch-size',
      String(options.batchSize),
      '--record',
      options.recordPath,
    ],
    name: 'following trainer',
    cwd: options.cwd,
  });
}

export async function readDeliveredBatches(recordPath: string): Promise<DeliveredBatch[]> {
  return readJsonLines<DeliveredBatch>(recordPath);
}

export interface TensorFacts {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: readonly (readonly number[])[];
}

/** What `example_trainer.data.get_data` made of one batch: one tensor per micro-batch. */
export interface PreparedBatch {
  readonly tokens: readonly TensorFacts[];
  readonly labels: readonly TensorFacts[];
  readonly advantages: readonly TensorFacts[];
  readonly temperatures: readonly TensorFacts[];
  readonly logprobs?: readonly TensorFacts[];
}

/** Registers and calls `get_data` once: it polls until there is a batch, drains until there is none, and pads. */
export async function prepareBatches(
  options: TrainerOptions & { microBatch: number; timeoutMs: number },
): Promise<PreparedBatch[]> {
  const lines: string[] = [];
  const sizes = ['--batch-size', String(options.batchSize), '--micro-batch', String(options.microBatch)];
  await using trainer = await runPython({
    args: ['./trainer.py', 'prepare', options.url, ...sizes],
    name: 'preparing trainer',
    cwd: options.cwd,
    onLine: (line) => lines.push(line),
  });
  await finishPython(trainer, options);
  const json = lines.find((line) => line.startsWith('[{'));
  if (json === undefined) throw new Error(`the trainer printed no tensors:\n${trainer.logs()}`);
  return JSON.parse(json) as PreparedBatch[];
}
