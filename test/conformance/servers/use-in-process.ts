import OpenAI from 'openai';
import { join } from 'node:path';

import { recordOpenAI, createRecorder } from '../../../packages/sdk/src/capture/index.ts';
import { serverConfigSchema } from '../../../packages/sdk/src/environment/config/server-config.ts';
import { createHttpPolicy } from '../../../packages/sdk/src/environment/policy/create-http-policy.ts';
import { createJudgeReward } from '../../../packages/sdk/src/environment/rewards/create-judge-reward.ts';
import type { AskJudge } from '../../../packages/sdk/src/environment/rewards/judge/ask-judge.ts';
import { createJudge } from '../../../packages/sdk/src/environment/rewards/judge/create-judge.ts';
import type { StoryEnd } from '../strict-servers/run-story.ts';
import { MODEL, type ChatServer } from '../strict-servers/start-chat-server.ts';
import type { ServerName } from './check-request.ts';

const sum = { role: 'user', content: 'What is 2 + 2?' } as const;

/** The real `openai` client with the wrapper: each call is answered, and left for the library. */
export async function storyOfWrapper({ server, folder }: { server: ChatServer; folder: string }): Promise<StoryEnd> {
  const all = 3;
  const recorder = createRecorder({ home: join(folder, 'wrapper') });
  const client = recordOpenAI(new OpenAI({ apiKey: 'sk-strict', baseURL: server.url, maxRetries: 0 }), { recorder });
  let answered = 0;
  let said = '';
  for (let index = 0; index < all; index += 1) {
    await client.chat.completions.create({ model: MODEL, messages: [sum], max_tokens: 8 }).then(
      () => (answered += 1),
      (error: unknown) => (said += String(error)),
    );
  }
  await recorder.close();
  return { way: 'capture wrapper', failed: all - answered, all, said };
}

/** Enough for a verdict, and not for a small model that repeats itself for ever. */
const VERDICT_TOKENS = 48;
/** The server held the model to the schema, and the length cut it off. */
const isCutVerdict = (text: string): boolean => /^\s*\{\s*"reason"\s*:\s*"/.test(text) && !text.trimEnd().endsWith('}');

/** A judge gives a verdict in the form that was asked for; what a small model says in it is its own. */
export async function storyOfJudge({ server }: { server: ChatServer }): Promise<StoryEnd> {
  const all = 2;
  const ask = createJudge({ url: server.url, model: MODEL, apiKey: 'sk-strict', maxTokens: VERDICT_TOKENS });
  let failed = 0;
  let said = '';
  for (let index = 0; index < all; index += 1) {
    let text = '';
    const judge: AskJudge = async (question) => (text = await ask(question));
    const reward = createJudgeReward({ judge, rubric: 'the number is right', retries: 0 });
    const outcome = await reward({ answer: '4', messages: [sum] });
    if (outcome.kind === 'failed' && !isCutVerdict(text)) failed += 1;
    said += `${JSON.stringify(outcome)} ${text}\n`;
  }
  return { way: 'judge', failed, all, said };
}

/** Tokens to train on, or the reason why there are none. */
export async function askForTokens(options: {
  server: ChatServer;
  type: ServerName;
  tokenizer?: string;
  extra?: Readonly<Record<string, unknown>>;
}): Promise<{ tokens: number; reason: string }> {
  const { server, type, tokenizer, extra } = options;
  try {
    const config = serverConfigSchema.parse({
      ...{ base_url: server.url, model_name: MODEL, server_type: type, api_key: 'sk-strict' },
      ...(tokenizer === undefined ? {} : { tokenizer_name: tokenizer }),
      ...(extra === undefined ? {} : { extra_body: extra }),
    });
    const policy = createHttpPolicy({ servers: [config], needsTokens: true, retryForMs: 0 });
    const completions = await policy.complete({
      ...{ messages: [sum], samples: 2, maxTokens: 16, maxTotalTokens: 64, temperature: 1, seed: 1 },
    });
    return { tokens: completions.reduce((count, { tokens }) => count + tokens.length, 0), reason: '' };
  } catch (error) {
    return { tokens: 0, reason: error instanceof Error ? error.message : String(error) };
  }
}
