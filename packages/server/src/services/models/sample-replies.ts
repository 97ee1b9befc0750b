import { LachesisError, type modelSampleSchemas } from '@lachesis/protocol';
import { parseReply } from '@lachesis/sdk/render';
import { createTinkerClient, TinkerTimeoutError } from '@lachesis/tinker';
import { basename } from 'node:path';
import type { z } from 'zod';
import type { EnginePlace } from './bring-adapter.ts';
import { withoutCredentials } from '../runs/engine-address.ts';
import { findTokenizer } from './find-tokenizer.ts';
import { needKeptModel, type ModelScope } from './find-start.ts';

type SampleLine = z.infer<(typeof modelSampleSchemas)['line']>;

export interface SampleRepliesOptions extends ModelScope {
  ask: z.output<(typeof modelSampleSchemas)['ask']>;
  findEngine: () => Promise<EnginePlace>;
  /** Folder or repository of the tokenizer; that of the base model when left out. */
  tokenizer?: string | undefined;
  /** Whose tokens the prompts are, where no registered model is asked: its base model answers, and no other one. */
  tokensOf?: string | undefined;
  /** How long an engine is waited for that does not answer yet; some minutes when left out. */
  connectMs?: number | undefined;
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
  const service = await createTinkerClient(tinker)
    .connect({ signal, timeoutMs: options.connectMs })
    .catch((error: unknown) => {
      throw TinkerTimeoutError.isInstance(error) ? engineAway(baseUrl, error) : error;
    });
  try {
    const offered = service.models.map(({ name }) => name);
    const baseModel = version?.baseModel ?? chooseBaseModel(offered, options.tokensOf);
    const tokenizer = await findTokenizer(options.tokenizer ?? baseModel);
    const weights = version?.weightsPath ?? '';
    const sampler = await service.createSampler({
      ...(weights === '' ? { baseModel } : { modelPath: weights }),
      eosTokens: [...tokenizer.stopTokens],
    });
    for (const { tokens: prompt, tools, seed } of ask.prompts) {
      const params = { maxTokens: ask.max_tokens, temperature: 1, seed };
      const { sequences } = await sampler.sample({ prompt: Int32Array.from(prompt), params, signal });
      const [{ tokens, logprobs } = { tokens: new Int32Array(), logprobs: new Float32Array() }] = sequences;
      const { message, stopReason } = await parseReply({ tokenizer, tokens, tools });
      const sampled = { tokens: [...tokens], logprobs: [...logprobs] };
      // One that was cut off would teach to be cut off.
      if (stopReason === 'stop') yield { sampled: { ...sampled, reply: message } };
      else yield { sampled: { ...sampled, reply: null, ...(message === null ? {} : { partial: message }) } };
    }
    yield { done: true };
  } finally {
    await service.close({ timeoutMs: 30_000 });
  }
}

/** The first one that the engine has; or the one that these tokens are of, by its name or that of its folder. */
function chooseBaseModel(offered: readonly string[], tokensOf: string | undefined): string {
  const found = offered.find((name) => tokensOf === undefined || name === tokensOf || basename(name) === tokensOf);
  if (found !== undefined) return found;
  throw new LachesisError({
    code: 'conflict',
    message:
      offered.length === 0
        ? 'the engine does not say which models it has'
        : `the tokens are of ${tokensOf}, and the engine of this server has ${offered.join(', ')}`,
    hint:
      tokensOf === undefined
        ? 'Name a registered one.'
        : `To another model they mean other words. Start an engine with ${tokensOf}, or register the model that wrote them.`,
  });
}

const engineAway = (baseUrl: string | undefined, cause: Error): LachesisError =>
  new LachesisError({
    code: 'unavailable',
    message: `the engine${baseUrl === undefined ? '' : ` at ${withoutCredentials(baseUrl)}`} does not answer`,
    hint: 'Start it with `lachesis engine up`, or name another one with TINKER_BASE_URL and start the control server again.',
    cause,
  });
