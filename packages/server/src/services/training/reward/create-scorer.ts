import { LachesisError } from '@lachesis/protocol';
import { RenderError, type TemplateMessage, type Tool, type Tokenizer } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';
import { renderScored } from './render-scored.ts';

/** Weights that score: they give the log probability of the last target of each datum. */
export interface ScoringModel {
  lastLogprobs(datums: readonly Datum[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface Scorer {
  /** What the last reply of a conversation is worth. Higher is better; there are no bounds. */
  score(conversation: { messages: readonly TemplateMessage[]; tools?: readonly Tool[] | undefined }): Promise<number>;
  close(): Promise<void>;
}

export interface ScorerOptions {
  tokenizer: Tokenizer;
  /** Loads the weights; called again after the engine has failed. */
  open(): Promise<ScoringModel>;
  /** Longer conversations are refused. */
  maxTokens: number;
  render?: typeof renderScored;
}

interface Waiting {
  datums: readonly [Datum, Datum];
  resolve(score: number): void;
  reject(error: unknown): void;
}

/** Conversations of one pass. Rollouts of a group end together, and one pass for all costs little more than for one. */
const MOST_TOGETHER = 32;

/** Scores conversations, as many in one pass as are waiting. */
export function createScorer({ tokenizer, open, maxTokens, render = renderScored }: ScorerOptions): Scorer {
  const waiting: Waiting[] = [];
  let model: Promise<ScoringModel> | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function pass(taken: readonly Waiting[]): Promise<void> {
    try {
      model ??= open();
      const logprobs = await (await model).lastLogprobs(taken.flatMap(({ datums }) => datums));
      for (const [index, { resolve, reject }] of taken.entries()) {
        const score = logprobs[2 * index]! - logprobs[2 * index + 1]!;
        if (Number.isFinite(score)) resolve(score);
        else reject(new LachesisError({ code: 'internal', message: `the reward model gave the score ${score}` }));
      }
    } catch (error) {
      // An engine that was started again does not have the model any more: the next call loads it anew.
      const broken = model;
      model = undefined;
      void broken?.then((old) => old.close()).catch(() => undefined);
      const failure = new LachesisError({
        code: 'unavailable',
        message: `the reward model cannot score: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'The engine could not answer; its own log says more.',
        retryAfterSeconds: 2,
        cause: error,
      });
      for (const { reject } of taken) reject(failure);
    }
  }

  async function run(): Promise<void> {
    // One turn of the event loop: calls that came in together are scored together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await pass(waiting.splice(0, MOST_TOGETHER));
    running = undefined;
  }

  return {
    async score({ messages, tools }) {
      if (isClosed) throw new LachesisError({ code: 'unavailable', message: 'the reward model is closed' });
      const { good, bad } = await render({ tokenizer, messages, tools }).catch((error: unknown) => {
        if (!RenderError.isInstance(error)) throw error;
        throw new LachesisError({ code: 'bad-request', message: error.message, cause: error });
      });
      if (good.tokens.length > maxTokens) {
        throw new LachesisError({
          code: 'bad-request',
          message: `the conversation has ${good.tokens.length} tokens, and the reward model reads ${maxTokens}`,
        });
      }
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      waiting.push({ datums: [good, bad], resolve, reject });
      running ??= run();
      return promise;
    },
    async close() {
      isClosed = true;
      await running;
      await (await model?.catch(() => undefined))?.close();
    },
  };
}
