export interface Reply {
  /** Milliseconds, when the request was sent. */
  at: number;
  status: number;
  modelVersionId: string | undefined;
  text: string;
}

export interface Watch {
  replies: Reply[];
  /** Resolves with the first reply after `since` that this model gave; undefined when none came in time. */
  waitFor(options: { modelVersionId: string; since: number; timeoutMs: number }): Promise<Reply | undefined>;
  stop(): Promise<void>;
}

const PAUSE_MS = 50;

/** Asks the same again and again, one request after another, as a user would see it. */
export function watchReplies(asked: { url: string; model: string; trajectory: string }): Watch {
  const replies: Reply[] = [];
  let isStopped = false;
  const loop = (async () => {
    while (!isStopped) {
      replies.push(await ask(asked));
      await sleep(PAUSE_MS);
    }
  })();
  return {
    replies,
    async waitFor({ modelVersionId, since, timeoutMs }) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const found = replies.find((reply) => reply.at >= since && reply.modelVersionId === modelVersionId);
        if (found !== undefined || Date.now() > end) return found;
        await sleep(PAUSE_MS);
      }
    },
    async stop() {
      isStopped = true;
      await loop;
    },
  };
}

async function ask({ url, model, trajectory }: Parameters<typeof watchReplies>[0]): Promise<Reply> {
  const at = Date.now();
  const body = { model, messages: [{ role: 'user', content: 'What comes after red?' }] };
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-lachesis-trajectory': trajectory },
      body: JSON.stringify({ ...body, max_tokens: 8, temperature: 0 }),
      signal: AbortSignal.timeout(60_000),
    });
    const reply = (await response.json()) as {
      model_version_id?: string;
      choices?: { message: { content: string } }[];
    };
    const text = reply.choices?.[0]?.message.content ?? JSON.stringify(reply);
    return { at, status: response.status, modelVersionId: reply.model_version_id, text };
  } catch (error) {
    // A connection that was cut counts as a failed request.
    return { at, status: 0, modelVersionId: undefined, text: String(error) };
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
