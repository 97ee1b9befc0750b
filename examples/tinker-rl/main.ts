/** Teaches a small model to write digits, then rewards it for sevens until it writes little else. */
import { createTinkerClient } from '@lachesis/tinker';
import type { Datum } from '@lachesis/tinker';
import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';

const LENGTH = 8; // tokens in a reply
const SAMPLES = 16; // replies in a group
const WARM_UP_STEPS = 15;
const MOST_ITERATIONS = 10;
const WANTED_REWARD = 0.9;
const learningRate = 1e-2;

if (process.env['TINKER_BASE_URL'] === undefined) {
  console.error('Set TINKER_BASE_URL; `lachesis engine up` starts a server here and prints the line.');
  process.exit(2);
}
await using service = await createTinkerClient().connect();
const baseModel = process.env['MODEL'] ?? service.models[0]!.name;
const tokenizer = await loadTokenizer({ directory: process.env['TOKENIZER'] ?? baseModel });
const training = await service.createTraining({ baseModel, rank: 8, seed: 1 });

const makePrompt = async (content: string): Promise<Int32Array> =>
  (await renderMessages({ tokenizer, messages: [{ role: 'user', content }], addGenerationPrompt: true })).tokens;
const prompts = await Promise.all(['Some digits, please.', 'A number?'].map(makePrompt));
const digits = await tokenizer.encode('0123456789');

/** Places what belongs to the reply behind zeros for the prompt, shifted by one as targets are. */
function makeDatum(prompt: Int32Array, reply: Int32Array, perToken: Record<string, Float32Array>): Datum {
  const tokens = Int32Array.of(...prompt, ...reply);
  const inputs: Record<string, Float32Array | Int32Array> = { target_tokens: tokens.slice(1) };
  for (const [name, values] of Object.entries(perToken)) {
    inputs[name] = new Float32Array(tokens.length - 1);
    inputs[name].set(values, prompt.length - 1);
  }
  return { tokens: tokens.slice(0, -1), inputs };
}

/** The same digits in every run, with no pattern to learn. */
let state = 1;
function drawDigit(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return digits[(state >>> 16) % digits.length]!;
}

// A random model would hardly ever write a seven, and what is never sampled is never rewarded.
for (let step = 0; step < WARM_UP_STEPS; step += 1) {
  const datums = Array.from({ length: SAMPLES }, (_, row) => {
    const reply = Int32Array.from({ length: LENGTH }, drawDigit);
    return makeDatum(prompts[row % prompts.length]!, reply, { weights: new Float32Array(LENGTH).fill(1) });
  });
  const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
  await Promise.all([pass, training.optimStep({ learningRate })]);
}

const rewards: number[] = [];
while (rewards.length < MOST_ITERATIONS && (rewards.at(-1) ?? 0) < WANTED_REWARD) {
  // Samples come from the weights of this moment, which on some servers are kept in a second model.
  const sampler = await service.createSampler({ training });
  const params = { maxTokens: LENGTH, seed: rewards.length, stop: [...tokenizer.stopTokens] };
  const groups = await Promise.all(prompts.map((prompt) => sampler.sample({ prompt, samples: SAMPLES, params })));
  await sampler.close();
  const scored = groups.map(({ sequences }, index) => {
    const scores = sequences.map(({ tokens }) => tokens.filter((token) => token === digits[7]).length / LENGTH);
    const mean = scores.reduce((sum, score) => sum + score, 0) / SAMPLES;
    const datums = sequences.map(({ tokens, logprobs }, place) => {
      const advantages = new Float32Array(tokens.length).fill(scores[place]! - mean);
      return makeDatum(prompts[index]!, tokens, { logprobs, advantages });
    });
    return { mean, datums };
  });
  const pass = training.forwardBackward(
    scored.flatMap(({ datums }) => datums),
    { loss: 'importance_sampling' },
  );
  await Promise.all([pass, training.optimStep({ learningRate })]);
  rewards.push(scored.reduce((sum, { mean }) => sum + mean, 0) / prompts.length);
  console.log(`iteration ${rewards.length}: reward ${rewards.at(-1)!.toFixed(3)}`);
}
if (rewards.at(-1)! < WANTED_REWARD) throw new Error(`the reward only went from ${rewards[0]} to ${rewards.at(-1)}`);
