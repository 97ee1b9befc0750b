import type { ChatMessage } from '@lachesis/protocol';
import { parseReply, renderMessages, type TemplateMessage, type Tokenizer, type Tool } from '@lachesis/sdk/render';
import { createTinkerClient, type SamplingClient } from '@lachesis/tinker';
import { findTokenizer } from '../../models/find-tokenizer.ts';
import { createTinkerEngine } from '../../training/engine/tinker-engine.ts';
import { runCommand, type RunCommandOptions } from '../programs/run-command.ts';
import type { SampledRewards } from './rewards-check.ts';

export interface SampleModelOptions extends Omit<RunCommandOptions, 'converses' | 'input' | 'onLine'> {
  /** Undefined for the managed service. */
  engineUrl: string | undefined;
  engineKey: string | undefined;
  /** `engine`, or undefined, for the first one that the engine has. */
  baseModel: string | undefined;
  rank: number;
  /** The state that the run begins with, when it begins with one. */
  state: string | undefined;
}

interface Question {
  id: number;
  messages: readonly TemplateMessage[];
  samples: number;
  maxTokens: number;
  temperature: number;
  tools?: readonly Tool[];
}

/**
 * Lets the environment roll out tasks in a process of its own, which never learns of the engine: it asks on its standard
 * output, and is answered here with replies of the real model. When time is up, what was earned so far is the answer.
 */
export async function sampleModel(options: SampleModelOptions): Promise<SampledRewards> {
  const { engineUrl, engineKey, rank, state, signal } = options;
  const service = await createTinkerClient({
    ...(engineUrl === undefined ? {} : { baseUrl: engineUrl }),
    ...(engineKey === undefined ? {} : { apiKey: engineKey }),
  }).connect({ signal });
  try {
    const named = options.baseModel === 'engine' ? undefined : options.baseModel;
    const baseModel = named ?? service.models[0]?.name;
    if (baseModel === undefined) throw new Error('The engine does not say which models it has.');
    const tokenizer = await findTokenizer(baseModel);
    const eosTokens = [...tokenizer.stopTokens];
    if (state === undefined)
      return await rollOut(options, tokenizer, await service.createSampler({ baseModel, eosTokens }));
    const engine = createTinkerEngine({ service, baseModel, lora: { rank }, seed: 0, initialState: state });
    const { path } = await (await engine.create()).saveForSampler('preflight');
    try {
      const sampler = await service.createSampler({ modelPath: path, eosTokens, isolation: 'auto' });
      return await rollOut(options, tokenizer, sampler);
    } finally {
      await engine.discard(path);
    }
  } finally {
    await service.close({ timeoutMs: 10_000 });
  }
}

async function rollOut(
  options: SampleModelOptions,
  tokenizer: Tokenizer,
  sampler: SamplingClient,
): Promise<SampledRewards> {
  const { signal } = options;
  const rewards: (readonly number[])[] = [];
  const answer = async (question: Question, send: (line: string) => void): Promise<void> => {
    const { id } = question;
    try {
      send(JSON.stringify({ id, replies: await reply(question, { tokenizer, sampler, signal }) }));
    } catch (error) {
      send(JSON.stringify({ id, problem: error instanceof Error ? error.message : String(error) }));
    }
  };
  const { code, lastWords } = await runCommand({
    ...options,
    converses: true,
    onLine(line, send) {
      if (!line.startsWith('{')) return;
      const said = JSON.parse(line) as ({ kind: 'ask' } & Question) | { kind: 'task'; rewards: number[] };
      if (said.kind === 'task') rewards.push(said.rewards);
      // Never rejects: what goes wrong is the answer.
      else if (said.kind === 'ask') void answer(said, send);
    },
  });
  if (code === 0 || rewards.length > 0) return rewards;
  throw new Error(lastWords || `\`lachesis env sample\` ended with code ${code}.`);
}

async function reply(
  { messages, samples, maxTokens, temperature, tools }: Question,
  { tokenizer, sampler, signal }: { tokenizer: Tokenizer; sampler: SamplingClient; signal: AbortSignal },
): Promise<{ text: string; toolCalls?: ChatMessage['tool_calls']; finishReason: string }[]> {
  const offered = tools === undefined ? {} : { tools };
  const { tokens } = await renderMessages({ tokenizer, messages, ...offered, addGenerationPrompt: true });
  const { sequences } = await sampler.sample({ prompt: tokens, samples, params: { maxTokens, temperature }, signal });
  return await Promise.all(
    sequences.map(async ({ tokens: sampled }) => {
      const { message, stopReason } = await parseReply({ tokenizer, tokens: sampled, ...offered });
      const { content, tool_calls: toolCalls } = message;
      return { text: typeof content === 'string' ? content : '', toolCalls, finishReason: stopReason };
    }),
  );
}
