import { ClientError } from './client-error.ts';

/** What one server takes of a chat request. It begins with everything and learns from refusals. */
export interface ChatDialect {
  /** The body as this server takes it. */
  adapt(body: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** After a refusal of what was sent: whether the same body, adapted anew, is worth another try. */
  learn(error: unknown, sent: Readonly<Record<string, unknown>>): boolean;
}

export interface ChatDialectOptions {
  /** How the note calls the server. */
  server: string;
  /** Closed APIs refuse what they do not know; they are not sent it at all. */
  isStrict?: boolean;
  /** Further fields whose absence the caller can do with. */
  optional?: readonly string[];
  /** Told once for each thing that is learnt, as a sentence. */
  onLearnt?: ((sentence: string) => void) | undefined;
}

/** Ours and vLLM's; who refuses one of them refuses them all. */
const EXTENSIONS: readonly string[] = [
  ...['max_total_tokens', 'return_token_ids', 'return_prompt_token_ids', 'history_token_ids'],
];
/** OpenAI's, which some servers do not have. A reply without them is a reply. */
const OPTIONAL: readonly string[] = ['logprobs', 'top_logprobs', 'seed', 'parallel_tool_calls', 'n'];
/** The same thing under another name. */
const RENAMES: readonly (readonly [from: string, to: string])[] = [['max_tokens', 'max_completion_tokens']];

/** How servers say that they do not know a field without saying which. */
const UNKNOWN_FIELD =
  /unknown|unrecogni[sz]ed|unsupported|not (?:supported|permitted|allowed)|additional propert|extra (?:field|input)|unexpected/i;

const REFUSALS = new Set([400, 422]);

/** Dialects by who sends and where to: what one caller of a process learnt, the next one need not be refused for. */
const learnt = new WeakMap<typeof fetch, Map<string, ChatDialect>>();

/** The dialect of a server in this process. */
export function findChatDialect({
  fetch: send,
  ...options
}: ChatDialectOptions & { fetch: typeof fetch }): ChatDialect {
  const ofSender = learnt.get(send) ?? new Map<string, ChatDialect>();
  learnt.set(send, ofSender);
  const key = JSON.stringify([options.server, options.isStrict ?? false, options.optional ?? []]);
  const dialect = ofSender.get(key) ?? createChatDialect(options);
  ofSender.set(key, dialect);
  return dialect;
}

export function createChatDialect(options: ChatDialectOptions): ChatDialect {
  const { server, isStrict = false, onLearnt } = options;
  const optionalNames = [...OPTIONAL, ...(options.optional ?? [])];
  const left = new Set<string>(isStrict ? EXTENSIONS : []);
  const renamed = new Map<string, string>();

  const adapt: ChatDialect['adapt'] = (body) => {
    const kept = Object.entries(body).filter(([name]) => !left.has(name));
    return Object.fromEntries(kept.map(([name, value]) => [renamed.get(name) ?? name, value]));
  };

  function leaveOut(names: readonly string[], sent: Readonly<Record<string, unknown>>): void {
    for (const name of names) left.add(name);
    const told = names.filter((name) => Object.hasOwn(sent, name));
    onLearnt?.(`${server} does not take ${told.join(', ')}; it is not sent any more`);
  }

  function learnFrom(text: string, sent: Readonly<Record<string, unknown>>): void {
    const isSent = (name: string): boolean => Object.hasOwn(sent, name) && !left.has(name);
    // A name of one letter counts in quotes only.
    const isNamed = (name: string): boolean =>
      new RegExp(name.length === 1 ? `["'\`]${name}["'\`]` : `\\b${name}\\b`).test(text);
    const rename = RENAMES.find(([from, to]) => isSent(from) && !renamed.has(from) && isNamed(to));
    const optional = optionalNames.filter((name) => isSent(name) && isNamed(name));
    const extensions = EXTENSIONS.filter(isSent);
    if (extensions.some(isNamed)) leaveOut(EXTENSIONS, sent);
    else if (rename !== undefined) {
      renamed.set(...rename);
      onLearnt?.(`${server} calls ${rename[0]} ${rename[1]}; it is sent under that name`);
    } else if (optional.length > 0) leaveOut(optional, sent);
    else if (extensions.length > 0 && UNKNOWN_FIELD.test(text)) leaveOut(EXTENSIONS, sent);
  }

  return {
    adapt,
    learn(error, sent) {
      if (!ClientError.isInstance(error) || !REFUSALS.has(error.status ?? 0)) return false;
      // Of many requests at once the first refusal teaches; the others only have to be sent as it taught.
      if (!isAdapted(sent, adapt)) return true;
      learnFrom(error.reason, sent);
      return !isAdapted(sent, adapt);
    },
  };
}

const isAdapted = (sent: Readonly<Record<string, unknown>>, adapt: ChatDialect['adapt']): boolean => {
  const names = Object.keys(adapt(sent));
  return names.length === Object.keys(sent).length && names.every((name) => Object.hasOwn(sent, name));
};

/** Sends a chat request as the server takes it, and again when its refusal taught something. */
export async function sendInDialect<T>(
  dialect: ChatDialect,
  body: Readonly<Record<string, unknown>>,
  send: (body: Record<string, unknown>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const adapted = dialect.adapt(body);
    try {
      return await send(adapted);
    } catch (error) {
      // Each lesson takes a field away or renames it once, so this ends.
      if (!dialect.learn(error, adapted)) throw error;
    }
  }
}
