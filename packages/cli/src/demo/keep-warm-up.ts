import { listWarmUpExamples } from '@lachesis/environments';
import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { createTinkerClient, type Datum, type TinkerService } from '@lachesis/tinker';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
export async function keepWarmUp(options: {
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

  const datums = await makeDatums(modelDirectory);
  const training = await service.createTraining({ baseModel: modelDirectory, rank: LORA_RANK, seed: 1, signal });
  const losses: number[] = [];
  let before: Promise<void> = Promise.resolve();
  for (let step = 0; step < WARM_UP_STEPS; step += 1) {
    signal.throwIfAborted();
    const batch = datums.slice(step * EXAMPLES_PER_STEP, (step + 1) * EXAMPLES_PER_STEP);
    const learned = batch.reduce((sum, { weight }) => sum + weight, 0);
    const pass = training.forwardBackward(
      batch.map(({ datum }) => datum),
      { loss: 'cross_entropy', signal },
    );
    const applied = training.optimStep({ learningRate: LEARNING_RATE }, { signal });
    const made = Promise.all([pass, applied]).then(([{ metrics }]) => {
      losses.push((metrics['loss:sum'] ?? Number.NaN) / learned);
      options.onStep(losses.length, losses.at(-1) ?? Number.NaN);
    });
    // Told by the await of the next round; until then a failure is not unhandled, it is waiting.
    made.catch(() => undefined);
    // One step is always on its way while the one before is worked on; the server takes them in order.
    await before;
    before = made;
  }
  await before;
  const { path: statePath } = await training.saveState('demo-warm-up');
  await writeKept(file, { model, state: statePath });
  return { statePath, isKept: false, losses: [losses[0] ?? Number.NaN, losses.at(-1) ?? Number.NaN] };
}

async function makeDatums(modelDirectory: string): Promise<{ datum: Datum; weight: number }[]> {
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  const examples = listWarmUpExamples({ count: WARM_UP_STEPS * EXAMPLES_PER_STEP, seed: 1 });
  return Promise.all(
    examples.map(async ({ prompt, reply }) => {
      const messages = [{ role: 'user', content: prompt }];
      const { tokens: asked } = await renderMessages({ tokenizer, messages, addGenerationPrompt: true });
      const answered = await tokenizer.encode(reply);
      const tokens = Int32Array.of(...asked, ...answered);
      const weights = new Float32Array(tokens.length - 1).fill(1, asked.length - 1);
      const inputs = { target_tokens: tokens.slice(1), weights };
      return { datum: { tokens: tokens.slice(0, -1), inputs }, weight: answered.length };
    }),
  );
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
