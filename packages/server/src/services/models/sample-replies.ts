import { LachesisError, type modelSampleSchemas } from '@lachesis/protocol';
import { parseReply } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';
import type { z } from 'zod';
import type { EnginePlace } from './bring-adapter.ts';
import { findTokenizer } from './find-tokenizer.ts';
import { needKeptModel, type ModelScope } from './find-start.ts';

type SampleLine = z.infer<(typeof modelSampleSchemas)['line']>;

export interface SampleRepliesOptions extends ModelScope {
  ask: z.output<(typeof modelSampleSchemas)['ask']>;
  findEngine: () => Promise<EnginePlace>;
  /** Folder or repository of the tokenizer; that of the base model when left out. */
  tokenizer?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Replies of a model from exactly these tokens on. What can be refused is refused before the first line. */
export async function* sampleReplies(options: SampleRepliesOptions): AsyncGenerator<SampleLine> {
  const { ask, findEngine, signal } = options;
  const version = ask.model === undefined ? undefined : await needKeptModel({ ...options, ref: ask.model });
  const { baseUrl, apiKey } = await findEngine();
  // Loading a model takes a while, and so does an engine that is away: what goes wrong from here on is told as it is.
  yield { said: `asking the engine for ${ask.prompts.length} replies` };
  const tinker = { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
  const service = await createTinkerClient(tinker).connect({ signal });
  try {
    const baseModel = version?.baseModel ?? service.models[0]?.name;
    if (baseModel === undefined) {
      const message = 'the engine does not say which models it has';
      throw new LachesisError({ code: 'conflict', message, hint: 'Name a registered one.' });
    }
    const tokenizer = await findTokenizer(options.tokenizer ?? baseModel);
    const weights = version?.weightsPath ?? '';
    const sampler = await service.createSampler({
      ...(weights === '' ? { baseModel } : { modelPath: weights }),
      eosTokens: [...tokenizer.stopTokens],
    });
    for (const { tokens: prompt, tools, seed } of ask.prompts) {
      const params = { maxTokens: ask.max_tokens, temperature: 1, seed };
      const { sequences } = await sampler.sample({ prompt: Int32Array.from(prompt), params, signal });
      const tokens = sequences[0]?.tokens ?? new Int32Array();
      const { message, stopReason } = await parseReply({ tokenizer, tokens, tools });
      // One that was cut off would teach to be cut off.
      yield { sampled: { tokens: [...tokens], reply: stopReason === 'stop' ? message : null } };
    }
    yield { done: true };
  } finally {
    await service.close({ timeoutMs: 30_000 });
  }
}
