import { listWarmUpExamples } from '@lachesis/environments';
import { loadTokenizer } from '@lachesis/sdk/render';
import { createTinkerClient, type TinkerService } from '@lachesis/tinker';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { teachExamples } from '../commands/train/teach-examples.ts';

export const WARM_UP_STEPS = 25;
const EXAMPLES_PER_STEP = 16;
const LEARNING_RATE = 1e-2;
export const LORA_RANK = 8;

export interface WarmUp {
  /** A `tinker://` state to begin a run with. */
  readonly statePath: string;
  /** It was there from a run before. */
  readonly isKept: boolean;
  /** Mean loss of the first and the last step; absent when it was kept. */
  readonly losses?: readonly [number, number];
}

interface KeptFile {
  readonly model: string;
  readonly state: string;
}

/** Teaches the model to write digits, through our own client, or finds that this was done. */
export async function ensureWarmUp(options: {
  /** The JSON file that remembers the state. */
  file: string;
  engineUrl: string;
  modelDirectory: string;
  signal: AbortSignal;
  onStep: (step: number, loss: number) => void;
}): Promise<WarmUp> {
  const { file, engineUrl, modelDirectory, signal } = options;
  const model = await nameModel(modelDirectory);
  await using service = await createTinkerClient({ baseUrl: engineUrl, apiKey: 'tml-local' }).connect({ signal });
  const kept = await readKept(file);
  if (kept?.model === model && (await isLoadable(service, kept.state))) return { statePath: kept.state, isKept: true };

  const examples = listWarmUpExamples({ count: WARM_UP_STEPS * EXAMPLES_PER_STEP, seed: 1 });
  const { statePath, losses } = await teachExamples({
    ...{ service, baseModel: modelDirectory, rank: LORA_RANK, seed: 1, name: 'demo-warm-up', signal },
    ...{ steps: WARM_UP_STEPS, examplesPerStep: EXAMPLES_PER_STEP, learningRate: LEARNING_RATE },
    tokenizer: await loadTokenizer({ directory: modelDirectory }),
    examples: examples.map(({ prompt, reply }) => ({ messages: [{ role: 'user', content: prompt }], reply })),
    onStep: options.onStep,
  });
  await writeKept(file, { model, state: statePath });
  return { statePath, isKept: false, losses };
}

/** Weights that were made again are another model, in the same folder. */
async function nameModel(directory: string): Promise<string> {
  const { mtimeMs, size } = await stat(join(directory, 'model.safetensors'));
  return `${directory} ${size} ${mtimeMs}`;
}

/** Loads it and lets go of it: an engine may remember a state whose file is gone. */
async function isLoadable(service: TinkerService, state: string): Promise<boolean> {
  try {
    const training = await service.createTrainingFromState(state);
    await training.close();
    return true;
  } catch {
    // Whatever the reason, a new warm-up takes seconds, and tells what is wrong with the engine, if anything is.
    return false;
  }
}

async function readKept(file: string): Promise<KeptFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeptFile;
  } catch {
    // Not there, or cut off: it is made again.
    return undefined;
  }
}

async function writeKept(file: string, kept: KeptFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`);
  await rename(`${file}.new`, file);
}
