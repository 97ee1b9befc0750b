export interface AskOnceOptions {
  /** Of the gateway, with the key and /v1. */
  readonly baseUrl: string;
  /** Whether the weights are ours: another server may want a key of its own, and charge for an answer. */
  readonly isOwnModel: boolean;
  readonly fetch?: typeof fetch;
}

/** The first answer of an engine is compiled for, which takes up to a minute on a slow machine. */
const ANSWER_MS = 60_000;

/** Asks the model for one token, which nobody records: what is up has answered. Gives the sentence of what is wrong. */
export async function askOnce({
  baseUrl,
  isOwnModel,
  fetch: send = fetch,
}: AskOnceOptions): Promise<string | undefined> {
  if (!isOwnModel) return undefined;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const models = await send(`${baseUrl}/models`, { signal });
    const { data } = (await models.json()) as { data?: readonly { id: string }[] };
    const reply = await send(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-lachesis-consent': 'none' },
      body: JSON.stringify({ model: data?.[0]?.id, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }),
      signal,
    });
    if (reply.ok) return undefined;
    const { error } = (await reply.json().catch(() => ({}))) as { error?: { message?: string } };
    return `the model does not answer yet (${reply.status}${error?.message === undefined ? '' : `: ${error.message}`}). \`lachesis engine status\` looks at the engine.`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `the model does not answer yet (${reason}). \`lachesis engine status\` looks at the engine.`;
  }
}
