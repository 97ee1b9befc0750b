import { setTimeout as sleep } from 'node:timers/promises';

export interface ServedReply {
  readonly text: string;
  /** The registered version that wrote it. */
  readonly modelVersionId: string | undefined;
}

/** Short: the answers have two words. */
const MAX_TOKENS = 8;

/** One call of the application, as any OpenAI client makes it. Without a key nothing of it is kept. */
export async function askServed(options: {
  url: string;
  prompt: string;
  seed: number;
  key?: string | undefined;
}): Promise<ServedReply> {
  const { url, prompt, seed, key } = options;
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? { 'x-lachesis-consent': 'none' } : { 'x-lachesis-trajectory': key }),
    },
    body: JSON.stringify({
      model: 'talker',
      messages: [{ role: 'user', content: prompt }],
      max_tokens: MAX_TOKENS,
      temperature: 1,
      seed,
    }),
    signal: AbortSignal.timeout(120_000),
  });
  if (!reply.ok) throw new Error(`the served model answered ${reply.status}: ${await reply.text()}`);
  const body = (await reply.json()) as {
    choices: { message: { content: string | null } }[];
    model_version_id?: string;
  };
  return { text: body.choices[0]?.message.content ?? '', modelVersionId: body.model_version_id };
}

/** Asks until a reply comes from this version, or from any that is registered. Gives how long that took. */
export async function waitUntilServed(options: {
  url: string;
  modelVersionId?: string;
  timeoutMs: number;
}): Promise<number> {
  const { url, modelVersionId, timeoutMs } = options;
  const start = performance.now();
  for (;;) {
    const { modelVersionId: served } = await askServed({ url, prompt: 'Ask red', seed: 1 });
    const waited = performance.now() - start;
    if (served !== undefined && (modelVersionId === undefined || served === modelVersionId)) return waited;
    if (waited > timeoutMs)
      throw new Error(
        `${modelVersionId ?? 'a registered model'} is not served after ${timeoutMs} ms, but ${served ?? 'none'}`,
      );
    await sleep(100);
  }
}
