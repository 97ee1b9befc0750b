/**
 * Reinforcement learning of a language model, all of it in one file: prompts, rollouts, rewards, advantages, the step of
 * the optimiser, an evaluation on prompts that are never trained on, and a checkpoint to go on from.
 *
 * The task is a toy (a reply earns the share of sevens in it), the loop is the one that `lachesis train` runs with
 * processes that may die around it. Change `TRAIN`, `HELD_OUT` and `grade` and it learns something else.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { loadTokenizer, renderMessages, type Tokenizer } from '@lachesis/sdk/render';
import { createTinkerClient, type Datum, type TinkerService, type TrainingClient } from '@lachesis/tinker';

const TRAIN = ['Some digits, please.', 'A number?'];
const HELD_OUT = ['Any digits?', 'Numbers, please.'];

const SETTINGS = {
  steps: 10,
  groupSize: 16, // replies to one prompt, which are compared with one another
  replyTokens: 8,
  rank: 8,
  learningRate: 1e-2,
  clip: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  warmUpSteps: 15,
  evaluateEvery: 5,
  checkpoint: process.env['CHECKPOINT'] ?? 'checkpoint.json',
  wantedReward: 0.9,
} as const;

/** What a model wrote to a prompt, as it was sampled: these tokens and log probabilities are trained on, never a text. */
interface Rollout {
  readonly prompt: Int32Array;
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly reward: number;
}

/** What a run needs to go on after its process died. */
interface Checkpoint {
  readonly step: number;
  readonly state: string;
}

async function main(): Promise<void> {
  if (process.env['TINKER_BASE_URL'] === undefined) {
    console.error('Set TINKER_BASE_URL; `lachesis engine up` starts a server here and prints the line.');
    process.exitCode = 2;
    return;
  }
  await using service = await createTinkerClient().connect();
  const baseModel = process.env['MODEL'] ?? service.models[0]!.name;
  // A local engine names its model by its folder, and there the tokenizer is.
  const tokenizer = await loadTokenizer({ directory: process.env['TOKENIZER'] ?? baseModel });
  const digits = await tokenizer.encode('0123456789');
  const grade = (tokens: Int32Array): number =>
    tokens.filter((token) => token === digits[7]).length / SETTINGS.replyTokens;
  const renderAll = (texts: readonly string[]): Promise<Int32Array[]> =>
    Promise.all(texts.map((text) => renderPrompt(tokenizer, text)));
  const [prompts, heldOut] = await Promise.all([renderAll(TRAIN), renderAll(HELD_OUT)]);

  const { training, firstStep } = await openTraining(service, baseModel, prompts, digits);
  const sample = (from: readonly Int32Array[], seed: number): Promise<Rollout[][]> =>
    rollOut({ service, training, tokenizer, prompts: from, grade, seed });

  const before = meanReward((await sample(heldOut, 1_000)).flat());
  console.log(`step ${firstStep}: held-out reward ${before.toFixed(3)}`);
  let after = before;
  for (let step = firstStep; step < SETTINGS.steps; step += 1) {
    // 1. Sample: a group of replies to each prompt, from the weights of this moment.
    const groups = await sample(prompts, step);
    // 2. Compare: a reply is good when it is better than the others to the same prompt.
    const datums = groups.flatMap(toDatums);
    // 3. Learn: gradients of the clipped surrogate, then one step of the optimiser.
    const facts = await learn(training, datums);
    console.log(`step ${step + 1}: reward ${meanReward(groups.flat()).toFixed(3)}, ${facts}`);
    // 4. Look, on prompts that nothing was learnt from; and leave something to go on from.
    if ((step + 1) % SETTINGS.evaluateEvery === 0 || step + 1 === SETTINGS.steps) {
      after = meanReward((await sample(heldOut, 2_000 + step)).flat());
      console.log(`step ${step + 1}: held-out reward ${after.toFixed(3)}`);
      await saveCheckpoint(training, step + 1);
    }
  }
  await rm(SETTINGS.checkpoint, { force: true });
  if (after < SETTINGS.wantedReward) {
    throw new Error(`the held-out reward went from ${before.toFixed(3)} to ${after.toFixed(3)} only`);
  }
}

/** New weights with a warm-up, or those of the checkpoint that an earlier process left. */
async function openTraining(
  service: TinkerService,
  baseModel: string,
  prompts: readonly Int32Array[],
  digits: Int32Array,
): Promise<{ training: TrainingClient; firstStep: number }> {
  const checkpoint = await readCheckpoint();
  if (checkpoint !== undefined) {
    console.log(`goes on after step ${checkpoint.step}`);
    // With the moments of the optimiser, so that the next step is the one that would have come.
    return { training: await service.createTrainingFromState(checkpoint.state), firstStep: checkpoint.step };
  }
  const training = await service.createTraining({ baseModel, rank: SETTINGS.rank, seed: 1 });
  await warmUp(training, prompts, digits);
  return { training, firstStep: 0 };
}

/** Supervised steps on random digits: what is never sampled is never rewarded, and a random model writes no digit. */
async function warmUp(training: TrainingClient, prompts: readonly Int32Array[], digits: Int32Array): Promise<void> {
  const draw = createDraw(1);
  for (let step = 0; step < SETTINGS.warmUpSteps; step += 1) {
    const datums = Array.from({ length: SETTINGS.groupSize }, (_, row) => {
      const reply = Int32Array.from({ length: SETTINGS.replyTokens }, () => digits[draw(digits.length)]!);
      return makeDatum(prompts[row % prompts.length]!, reply, { weights: new Float32Array(reply.length).fill(1) });
    });
    // Both are sent before either is awaited; the server takes them in this order.
    const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
    await Promise.all([pass, training.optimStep({ learningRate: SETTINGS.learningRate })]);
  }
}

/** A group of graded replies to each prompt. */
async function rollOut(options: {
  service: TinkerService;
  training: TrainingClient;
  tokenizer: Tokenizer;
  prompts: readonly Int32Array[];
  grade: (tokens: Int32Array) => number;
  seed: number;
}): Promise<Rollout[][]> {
  const { service, training, tokenizer, prompts, grade, seed } = options;
  const sampler = await service.createSampler({ training });
  try {
    const params = { maxTokens: SETTINGS.replyTokens, seed, stop: [...tokenizer.stopTokens] };
    return await Promise.all(
      prompts.map(async (prompt) => {
        const { sequences } = await sampler.sample({ prompt, samples: SETTINGS.groupSize, params });
        return sequences.map(({ tokens, logprobs }) => ({ prompt, tokens, logprobs, reward: grade(tokens) }));
      }),
    );
  } finally {
    await sampler.close();
  }
}

/** The rollouts of a group as training data. A group without spread says nothing about which way is up. */
function toDatums(group: readonly Rollout[]): Datum[] {
  const mean = meanReward(group);
  const deviation = Math.sqrt(group.reduce((sum, { reward }) => sum + (reward - mean) ** 2, 0) / group.length);
  if (deviation === 0) return [];
  return group.map(({ prompt, tokens, logprobs, reward }) => {
    const advantages = new Float32Array(tokens.length).fill((reward - mean) / (deviation + 1e-6));
    return makeDatum(prompt, tokens, { logprobs, advantages });
  });
}

/** One step. Returns what is worth watching: how far the learner already is from what sampled, and what the step was made of. */
async function learn(training: TrainingClient, datums: readonly Datum[]): Promise<string> {
  if (datums.length === 0) return 'no group with a spread, so no step';
  const pass = training.forwardBackward([...datums], { loss: 'ppo', config: SETTINGS.clip });
  const [{ logprobs }] = await Promise.all([pass, training.optimStep({ learningRate: SETTINGS.learningRate })]);
  let [difference, count] = [0, 0];
  for (const [row, datum] of datums.entries()) {
    const sampled = datum.inputs['logprobs'] as Float32Array;
    const advantages = datum.inputs['advantages'] as Float32Array;
    for (const [place, advantage] of advantages.entries()) {
      if (advantage === 0) continue; // the prompt
      difference += sampled[place]! - logprobs[row]![place]!;
      count += 1;
    }
  }
  return `${datums.length} rollouts, KL ${(difference / count).toFixed(4)}`;
}

/** Places what belongs to the reply behind zeros for the prompt, shifted by one as targets are. */
function makeDatum(prompt: Int32Array, reply: Int32Array, perToken: Readonly<Record<string, Float32Array>>): Datum {
  const tokens = Int32Array.of(...prompt, ...reply);
  const inputs: Record<string, Float32Array | Int32Array> = { target_tokens: tokens.slice(1) };
  for (const [name, values] of Object.entries(perToken)) {
    const placed = new Float32Array(tokens.length - 1);
    placed.set(values, prompt.length - 1);
    inputs[name] = placed;
  }
  return { tokens: tokens.slice(0, -1), inputs };
}

async function renderPrompt(tokenizer: Tokenizer, content: string): Promise<Int32Array> {
  const messages = [{ role: 'user', content }];
  return (await renderMessages({ tokenizer, messages, addGenerationPrompt: true })).tokens;
}

/** The state first, then the file that names it, which appears whole or not at all. */
async function saveCheckpoint(training: TrainingClient, step: number): Promise<void> {
  const { path: state } = await training.saveState(`rl-loop-${step}`);
  const checkpoint: Checkpoint = { step, state };
  await writeFile(`${SETTINGS.checkpoint}.new`, JSON.stringify(checkpoint), { flush: true });
  await rename(`${SETTINGS.checkpoint}.new`, SETTINGS.checkpoint);
}

async function readCheckpoint(): Promise<Checkpoint | undefined> {
  try {
    return JSON.parse(await readFile(SETTINGS.checkpoint, 'utf8')) as Checkpoint;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function meanReward(rollouts: readonly Rollout[]): number {
  return rollouts.reduce((sum, { reward }) => sum + reward, 0) / rollouts.length;
}

/** Whole numbers below a limit, the same in every run. */
function createDraw(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 16) % limit;
  };
}

await main();
