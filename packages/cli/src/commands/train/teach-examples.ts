import type { TaughtExample } from '@lachesis/sdk/environment';
import { renderMessages, type Tokenizer } from '@lachesis/sdk/render';
import type { Datum, TinkerService } from '@lachesis/tinker';

export interface TeachOptions {
  readonly service: TinkerService;
  readonly baseModel: string;
  readonly tokenizer: Tokenizer;
  readonly examples: readonly TaughtExample[];
  readonly rank: number;
  readonly seed: number;
  readonly steps: number;
  readonly examplesPerStep: number;
  readonly learningRate: number;
  /** Under this name the state is saved on the engine. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onStep?: ((step: number, loss: number) => void) | undefined;
}

export interface Taught {
  /** A `tinker://` state to begin a run with. */
  readonly statePath: string;
  /** Mean loss of the first and the last step. */
  readonly losses: readonly [number, number];
}

/** Teaches a new adapter to write replies of the right form, so that the first rollouts of a run can earn something. */
export async function teachExamples(options: TeachOptions): Promise<Taught> {
  const { service, signal, steps, examplesPerStep } = options;
  const datums = await Promise.all(options.examples.map((example) => toDatum(options.tokenizer, example)));
  if (datums.length === 0) throw new Error('there are no examples to teach');
  const { baseModel, rank, seed } = options;
  const training = await service.createTraining({ baseModel, rank, seed, signal });
  const losses: number[] = [];
  let before: Promise<void> = Promise.resolve();
  for (let step = 0; step < steps; step += 1) {
    signal.throwIfAborted();
    const batch = Array.from(
      { length: examplesPerStep },
      (_, index) => datums[(step * examplesPerStep + index) % datums.length]!,
    );
    const learned = batch.reduce((sum, { weight }) => sum + weight, 0);
    const pass = training.forwardBackward(
      batch.map(({ datum }) => datum),
      { loss: 'cross_entropy', signal },
    );
    const applied = training.optimStep({ learningRate: options.learningRate }, { signal });
    const made = Promise.all([pass, applied]).then(([{ metrics }]) => {
      losses.push((metrics['loss:sum'] ?? Number.NaN) / learned);
      options.onStep?.(losses.length, losses.at(-1) ?? Number.NaN);
    });
    // Told by the await of the next round; until then a failure is not unhandled, it is waiting.
    made.catch(() => undefined);
    // One step is always on its way while the one before is worked on; the server takes them in order.
    await before;
    before = made;
  }
  await before;
  const { path: statePath } = await training.saveState(options.name);
  await training.close();
  return { statePath, losses: [losses[0] ?? Number.NaN, losses.at(-1) ?? Number.NaN] };
}

async function toDatum(
  tokenizer: Tokenizer,
  { messages, reply }: TaughtExample,
): Promise<{ datum: Datum; weight: number }> {
  const { tokens: asked } = await renderMessages({
    tokenizer,
    messages,
    addGenerationPrompt: true,
  });
  const answered = await tokenizer.encode(reply);
  const tokens = Int32Array.of(...asked, ...answered);
  const weights = new Float32Array(tokens.length - 1).fill(1, asked.length - 1);
  const inputs = { target_tokens: tokens.slice(1), weights };
  return { datum: { tokens: tokens.slice(0, -1), inputs }, weight: answered.length };
}
