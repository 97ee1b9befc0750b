import type { LlamaCppServer } from '../../peers/llama-cpp/start-llama-cpp.ts';
import { startChatServer, type ChatServer } from '../strict-servers/start-chat-server.ts';

type Body = Readonly<Record<string, unknown>>;

/** Two cores without a GPU say some twenty tokens a second, and there are thirty replies to wait for. */
const REPLY_TOKENS = 8;
const LENGTHS = ['max_tokens', 'max_completion_tokens'] as const;

/** A way to a real server that keeps what it refused, and lets free text be no longer than the machine has time for. */
export function startWayTo({ url }: LlamaCppServer): Promise<ChatServer> {
  return startChatServer({
    answer: async (body, path) => {
      const reply = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(shorten(body)) });
      const answered = (await reply.json()) as { error?: { message?: string } };
      if (reply.ok) return { body: answered };
      return { body: answered, status: reply.status, refused: answered.error?.message ?? String(reply.status) };
    },
  });
}

/** A verdict keeps its length: half of one is none. */
function shorten(body: Body): Body {
  if (body['response_format'] !== undefined) return body;
  const name = LENGTHS.find((each) => Object.hasOwn(body, each)) ?? 'max_tokens';
  return { ...body, [name]: Math.min(REPLY_TOKENS, Number(body[name] ?? REPLY_TOKENS)) };
}
