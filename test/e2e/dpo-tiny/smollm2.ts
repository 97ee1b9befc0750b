import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { makePreference, type ChatMessage } from '@lachesis/protocol';
import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { trainOnRecords } from '@lachesis/server';
import { createTinkerClient } from '@lachesis/tinker';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { makeSet, withLibrary } from './run-dpo.ts';

const WON = 0.75;
/** With prompt and template under 64 tokens, which is what the engine pads to. */
const REPLY_TOKENS = 36;
const PAIRS = 4;
const EPOCHS = 2;
const TRAINED = 24;
const HELD_OUT = 24;
/** Instead of the long one of its template. */
const SYSTEM: ChatMessage = { role: 'system', content: 'Be helpful.' };

const THINGS = [
  ...['rain', 'bread', 'the moon', 'a train', 'music', 'winter', 'a library', 'coffee', 'the sea', 'a garden'],
  ...['paper', 'a bridge', 'honey', 'a clock', 'the wind', 'a school', 'salt', 'a river', 'glass', 'sleep'],
  ...['a map', 'fire', 'a boat', 'milk', 'a mountain', 'cotton', 'a doctor', 'the sun'],
];
const WAYS = ['Tell me about', 'What is important about'];
const prompts = WAYS.flatMap((way) => THINGS.map((thing) => `${way} ${thing}.`)).slice(0, TRAINED + HELD_OUT);

/** A short answer is preferred: the first sentence of what the model says by itself, over all of it. */
export async function showSmolLm2(context: ScenarioContext): Promise<void> {
  const engine = await startEnginePeer({
    model: 'smollm2',
    limits: { adapters: 4, rank: 8, trainMicroBatch: 2 * PAIRS, sampleSequences: HELD_OUT },
    onProgress: ({ message }) => context.log(message),
  });
  context.defer(() => engine.stop());
  const home = join(await context.scratch(), 'home');
  await mkdir(home);
  const place = { home, engineUrl: engine.url, log: context.log };
  const ask = { engineUrl: engine.url, modelDirectory: engine.modelDirectory };
  const base = await sampleReplies({ ...ask, weightsPath: undefined, asked: prompts });
  const rows = prompts.slice(0, TRAINED).flatMap((prompt, index) => {
    const long = base[index]?.text ?? '';
    const short = FIRST_SENTENCE.exec(long)?.[0];
    if (short === undefined || short.length >= long.trim().length) return [];
    return [
      makePreference({
        id: `short/${index}`,
        prompt: toPrompt(prompt),
        chosen: [toReply(short)],
        rejected: [toReply(long)],
      }),
    ];
  });
  await withLibrary(place, (library) => makeSet(library, { name: 'short', rows }));
  const trained = await trainOnRecords({
    ...{ method: 'dpo', dataset: { name: 'short' }, run: 'short', home },
    tinker: { baseUrl: engine.url, apiKey: 'tml-none' },
    settings: {
      ...{ lora_rank: 8, batch_size: PAIRS, epochs: EPOCHS, learning_rate: 5e-4, lr_schedule: 'constant' },
      ...{ chosen_nll_weight: 1, use_tensorboard: false },
    },
    onProgress: ({ detail, metrics = {} }) =>
      context.log(
        `${detail} ${['dpo/accuracy', 'dpo/chosen_nll'].map((name) => metrics[name]?.toFixed(2) ?? '').join(' ')}`,
      ),
  });
  const asked = prompts.slice(TRAINED);
  const tuned = await sampleReplies({ ...ask, weightsPath: trained.weightsPath ?? '', asked });
  const wins = tuned.map((reply, index): number => {
    const other = base[TRAINED + index]?.text ?? '';
    if (!isShort(reply) || reply.text.length > other.length) return 0;
    return reply.text.length === other.length ? 0.5 : 1;
  });
  const before = base.slice(TRAINED).filter(isShort).length;
  const rate = wins.reduce((sum, win) => sum + win, 0) / wins.length;
  context.log(
    `such as ${JSON.stringify(tuned.slice(0, 4).map(({ text }) => text))}, and the base ${JSON.stringify(base.slice(TRAINED, TRAINED + 4).map(({ text }) => text))}`,
  );
  context.report({
    name: 'smollm2 win rate of the preferred style',
    figure: `${rate.toFixed(2)} over ${wins.length} held-out prompts (the base wrote ${before} in it), ${rows.length} pairs, ${trained.steps} steps`,
    bar: `≥ ${WON}`,
    ok: rate >= WON,
  });
}

interface SampledReply {
  readonly text: string;
  /** It ended by itself, and was not cut. */
  readonly isWhole: boolean;
}

const FIRST_SENTENCE = /^.*?[.!?](?=\s|$)/s;

/** One sentence, and an end. */
const isShort = ({ text, isWhole }: SampledReply): boolean => isWhole && FIRST_SENTENCE.exec(text)?.[0] === text;

const toPrompt = (content: string): ChatMessage[] => [SYSTEM, { role: 'user', content }];
const toReply = (content: string): ChatMessage => ({ role: 'assistant', content });

async function sampleReplies(options: {
  engineUrl: string;
  modelDirectory: string;
  weightsPath: string | undefined;
  asked: readonly string[];
}): Promise<SampledReply[]> {
  const { engineUrl, modelDirectory, weightsPath, asked } = options;
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const source = weightsPath === undefined ? { baseModel: modelDirectory } : { modelPath: weightsPath };
  const sampler = await service.createSampler({ ...source, eosTokens: [...tokenizer.stopTokens] });
  // Awaited here: the sampler is closed with the service.
  return await Promise.all(
    asked.map(async (content, index) => {
      const messages = toPrompt(content);
      const { tokens } = await renderMessages({ tokenizer, messages, addGenerationPrompt: true });
      const params = { maxTokens: REPLY_TOKENS, temperature: 0.7, seed: index };
      const { sequences } = await sampler.sample({ prompt: tokens, params });
      const own = sequences[0]?.tokens ?? new Int32Array();
      const [text = ''] = (await tokenizer.decode(own)).split('<|');
      return { text: text.trim(), isWhole: tokenizer.stopTokens.has(own.at(-1) ?? -1) };
    }),
  );
}
