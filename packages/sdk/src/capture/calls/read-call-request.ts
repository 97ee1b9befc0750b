import { type ChatMessage, isRecord, isTokenIds, type OfferedTool, toChatMessage } from '@lachesis/protocol';
import { readInput, readTools } from './collect-responses.ts';
import type { CallEndpoint } from './collected-reply.ts';
import { asObject, asText, type JsonFields } from './json-shapes.ts';
import { toOfferedTools } from './to-reply-message.ts';

/** One conversation or prompt of a request. */
export interface AskedConversation {
  messages: ChatMessage[];
  /** The ids of a prompt that came as ids. */
  promptTokenIds: number[] | undefined;
}

/** A request as records have it. */
export interface CallRequest {
  endpoint: CallEndpoint;
  model: string;
  /** One, but for completions of several prompts. */
  conversations: AskedConversation[];
  /** Replies per conversation. */
  samples: number;
  tools: OfferedTool[] | null;
  sampling: Record<string, unknown>;
  isStream: boolean;
  /** OpenAI's own field for whom a call is made. */
  user: string | null;
  metadata: Record<string, unknown> | null;
}

/** What a request says that is not how to sample. Ids of the history are in the tokens of the turns before. */
const NOT_SAMPLING = new Set([
  'messages',
  'tools',
  'model',
  'stream',
  'prompt',
  'input',
  'instructions',
  'input_ids',
  'text',
  'history_token_ids',
  'user',
  'metadata',
]);
/** In the responses API it says which form the text is to have. */
const SAMPLING_OF_RESPONSES = 'text';

/** Reads a request loosely: the server behind it says what is wrong with it. */
export function readCallRequest(endpoint: CallEndpoint, body: unknown): CallRequest {
  const fields = asObject(body);
  const isResponses = endpoint === 'responses';
  const sampling = Object.entries(fields).filter(
    ([name]) => !NOT_SAMPLING.has(name) || (isResponses && name === SAMPLING_OF_RESPONSES),
  );
  const { model, n, user, metadata, sampling_params: params, tools } = fields;
  const samples = isRecord(params) ? params['n'] : n;
  return {
    endpoint,
    model: asText(model) ?? '',
    conversations: readConversations(endpoint, fields),
    samples: typeof samples === 'number' && samples >= 1 ? samples : 1,
    tools: isResponses ? readTools(fields) : toOfferedTools(tools),
    sampling: Object.fromEntries(sampling),
    isStream: fields['stream'] === true,
    user: typeof user === 'string' && user !== '' ? user.slice(0, 200) : null,
    metadata: isRecord(metadata) ? { ...metadata } : null,
  };
}

function readConversations(endpoint: CallEndpoint, fields: JsonFields): AskedConversation[] {
  if (endpoint === 'responses') return [{ messages: readInput(fields), promptTokenIds: undefined }];
  if (endpoint !== 'chat') return readPrompts(fields);
  const { messages } = fields;
  return [
    {
      messages: Array.isArray(messages) ? messages.map((message) => toChatMessage(message)) : [],
      promptTokenIds: undefined,
    },
  ];
}

/** A prompt is what a user said, as far as a conversation is concerned; `endpoint` in the metadata tells it apart. */
function readPrompts({ prompt, text, input_ids: inputIds }: JsonFields): AskedConversation[] {
  const given = prompt ?? inputIds ?? text;
  const prompts: unknown[] = Array.isArray(given) && !isTokenIds(given) ? given : [given];
  return prompts.map((each) => {
    const ids = isRecord(each) ? each['prompt_token_ids'] : each;
    const promptTokenIds = isTokenIds(ids) ? ids : undefined;
    return { messages: [{ role: 'user', content: asText(each) ?? null }], promptTokenIds };
  });
}
