/** Where an OpenAI-compatible server is, and how its model is called there. */
export interface ChatServer {
  /** With its /v1. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

export interface ChatLine {
  role: 'assistant' | 'system' | 'user';
  content: string;
}

export interface AskModelOptions {
  readonly server: ChatServer;
  readonly messages: readonly ChatLine[];
  /** Temperature and the like. */
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Told each piece of the reply as it comes. */
  readonly onText: (text: string) => void;
  readonly fetch?: typeof fetch;
}

/** Asks for the next reply as a stream; returns it whole. A server that answers in one piece is understood too. */
export async function askModel(options: AskModelOptions): Promise<string> {
  const { server, messages, sampling, signal, onText, fetch: send = fetch } = options;
  const reply = await send(`${server.baseUrl.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` }),
    },
    body: JSON.stringify({ ...sampling, model: server.model, messages, stream: true }),
    signal,
  });
  if (!reply.ok || reply.body === null) throw new Error(await describeRefusal(reply, server));
  let text = '';
  const tell = (piece: string): void => {
    text += piece;
    if (piece !== '') onText(piece);
  };
  if (!(reply.headers.get('content-type') ?? '').includes('event-stream')) {
    tell(readText(await reply.json(), 'message'));
    return text;
  }
  for await (const line of readLines(reply.body)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') break;
    const event: unknown = JSON.parse(data);
    const { error } = event as { error?: { message?: string } };
    if (error !== undefined) throw new Error(error.message ?? 'the server broke off without a reason');
    tell(readText(event, 'delta'));
  }
  return text;
}

function readText(event: unknown, field: 'delta' | 'message'): string {
  const { choices } = event as { choices?: readonly Record<string, { content?: unknown } | undefined>[] };
  const content = choices?.[0]?.[field]?.content;
  return typeof content === 'string' ? content : '';
}

/** No line of a reply is longer: a server that never ends one would fill the memory. */
const LONGEST_LINE = 1_000_000;

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new Error('the server sent a line that does not end.');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function describeRefusal(reply: Response, { baseUrl, model }: ChatServer): Promise<string> {
  const text = await reply.text();
  let reason = text.trim().split('\n', 1)[0] ?? '';
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } | string };
    reason = (typeof error === 'string' ? error : error?.message) ?? reason;
  } catch {
    // Some servers answer in plain text; its first line stands.
  }
  const host = new URL(baseUrl).host;
  const hint =
    reply.status === 401 || reply.status === 403
      ? ' Set its key: OPENAI_API_KEY (OPENROUTER_API_KEY for OpenRouter), or `lachesis config set OPENAI_API_KEY`.'
      : reply.status === 404
        ? ` Does it have a model ${model}? \`lachesis models list\` shows yours.`
        : '';
  return `${host} answered ${reply.status}: ${reason.slice(0, 300).replace(/\.$/, '')}.${hint}`;
}
