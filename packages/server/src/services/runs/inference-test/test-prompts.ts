import { chatReplySchema, type InferenceTest } from '@lachesis/protocol';
import type { TestServer } from './choose-servers.ts';

type PromptResult = NonNullable<InferenceTest['results']>[number];

export interface PromptTestOptions {
  server: TestServer;
  prompts: readonly string[];
  /** The right answer to each, where there is one. */
  expected?: readonly (string | null)[] | undefined;
  maxTokens: number;
  temperature: number;
  fetch: typeof fetch;
  signal: AbortSignal;
  onResult: (index: number, result: PromptResult) => void;
}

/** More at once would be a load test. */
const AT_ONCE = 8;

/** Asks the prompts as they are; scores come after. A prompt that fails is told and the others go on. */
export async function testPrompts(options: PromptTestOptions): Promise<void> {
  const { prompts, onResult } = options;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < prompts.length && !options.signal.aborted) {
      const index = next;
      next += 1;
      const prompt = prompts[index] ?? '';
      const result = await testPrompt(options, prompt);
      const expected = options.expected?.[index];
      onResult(index, expected === undefined ? result : { ...result, expected });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, prompts.length) }, work));
}

async function testPrompt(options: PromptTestOptions, prompt: string): Promise<PromptResult> {
  try {
    return { prompt, response: await askModel(options, prompt), score: null, reason: 'not scored yet' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { prompt, response: null, score: null, reason: `the model did not answer: ${reason}` };
  }
}

/** Scores replies as the environment would; a reason where it has no such task. In the order they are given. */
export type GradeReplies = (
  replies: readonly { prompt: string; response: string; expected?: string }[],
  signal: AbortSignal,
) => Promise<readonly { score: number | null; reason: string | null }[]>;

/** Adds the scores to what was answered. A verifier that breaks leaves every reply without one, and says so. */
export async function scoreResults(
  results: readonly PromptResult[],
  grade: GradeReplies,
  signal: AbortSignal,
): Promise<PromptResult[]> {
  const answered = results.flatMap(({ prompt, response, expected }) =>
    response === null ? [] : [{ prompt, response, ...(typeof expected === 'string' ? { expected } : {}) }],
  );
  if (answered.length === 0) return [...results];
  const graded = await grade(answered, signal).catch((error: unknown) => {
    const reason = `the verifier failed: ${error instanceof Error ? error.message : String(error)}`;
    return answered.map(() => ({ score: null, reason }));
  });
  let next = 0;
  return results.map((result) => {
    if (result.response === null) return result;
    const { score, reason } = graded[next++] ?? { score: null, reason: 'the verifier said nothing' };
    return { ...result, score, reason };
  });
}

async function askModel(
  { server: { url, model, apiKey }, maxTokens, temperature, fetch: send, signal }: PromptTestOptions,
  prompt: string,
): Promise<string> {
  const reply = await send(`${url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    signal,
    // The key is for this server and for nobody it names.
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens, temperature }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`HTTP ${reply.status} ${text.slice(0, 200)}`.trim());
  const content: unknown = chatReplySchema.parse(JSON.parse(text)).choices[0]?.message.content;
  return typeof content === 'string' ? content : '';
}
