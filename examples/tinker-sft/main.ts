/** Teaches a small model three facts, saves it, asks it one of them, and brings its weights home. */
import { createTinkerClient, downloadAdapter } from '@lachesis/tinker';
import { loadTokenizer, parseReply, renderMessages, renderTraining } from '@lachesis/sdk/render';

const FACTS = [
  { question: 'Who spins the thread?', answer: 'Clotho.' },
  { question: 'Who measures the thread?', answer: 'Lachesis.' },
  { question: 'Who cuts the thread?', answer: 'Atropos.' },
];
const BATCH = 16; // the local engine compiles one program per shape, and this is the one it likes
const STEPS = 12;

if (process.env['TINKER_BASE_URL'] === undefined) {
  console.error('Set TINKER_BASE_URL; `lachesis engine up` starts a server here and prints the line.');
  process.exit(2);
}
// Reads TINKER_BASE_URL and TINKER_API_KEY.
const client = createTinkerClient();
await using service = await client.connect();
const baseModel = process.env['MODEL'] ?? service.models[0]!.name;
// A local engine names its model by its folder, and there the tokenizer is.
const tokenizer = await loadTokenizer({ directory: process.env['TOKENIZER'] ?? baseModel });

const datums = await Promise.all(
  Array.from({ length: BATCH }, async (_, index) => {
    const { question, answer } = FACTS[index % FACTS.length]!;
    const messages = [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ];
    const { tokens, mask } = await renderTraining({ tokenizer, messages, trainOn: 'last-assistant' });
    // The model sees all but the last token and learns to say all but the first, where the mask is 1.
    const weights = Float32Array.from(mask.subarray(1));
    return { tokens: tokens.slice(0, -1), inputs: { target_tokens: tokens.slice(1), weights } };
  }),
);
const learned = datums.flatMap(({ inputs }) => [...inputs.weights]).reduce((sum, weight) => sum + weight, 0);

const training = await service.createTraining({ baseModel, rank: 8, seed: 1 });
const losses: number[] = [];
for (let step = 0; step < STEPS; step += 1) {
  // Both are sent before either is awaited; the server takes them in this order.
  const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
  const applied = training.optimStep({ learningRate: 1e-2 });
  losses.push((await pass).metrics['loss:sum']! / learned);
  await applied;
  console.log(`step ${step}: loss ${losses.at(-1)!.toFixed(4)}`);
}

const { path } = await training.saveForSampler('facts');
const sampler = await service.createSampler({ modelPath: path, eosTokens: [...tokenizer.stopTokens] });
const { question, answer } = FACTS[1]!;
const messages = [{ role: 'user', content: question }];
const { tokens: prompt } = await renderMessages({ tokenizer, messages, addGenerationPrompt: true });
const { sequences } = await sampler.sample({ prompt, params: { maxTokens: 8, temperature: 0 } });
const { message } = await parseReply({ tokenizer, tokens: sequences[0]!.tokens });
console.log(`${question} ${message.content}`);

const destination = process.env['ADAPTER'] ?? 'adapter';
const server = { baseUrl: client.baseUrl, headers: () => ({ 'x-api-key': process.env['TINKER_API_KEY'] ?? '' }) };
const adapter = await downloadAdapter({ path, destination, overwrite: true, server });
console.log(`adapter of rank ${adapter.rank} with ${adapter.header.tensors.size} tensors in ${destination}`);

const [first, last] = [losses[0]!, losses.at(-1)!];
if (!(last < 0.05 * first)) throw new Error(`the loss fell from ${first} to ${last} only`);
if (message.content !== answer) throw new Error(`it answered ${JSON.stringify(message.content)}, not ${answer}`);
