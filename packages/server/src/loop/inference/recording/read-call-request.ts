import { isTokenIds, type OfferedTool, type RecordedMessage } from '@lachesis/protocol';
import type { CallDoor } from './call-recorder.ts';
import { isFields, toOfferedTools, toRecordedMessage } from './to-recorded-message.ts';

/** One conversation or prompt of a request. */
export interface AskedConversation {
  messages: RecordedMessage[];
  /** The ids of a prompt that came as ids. */
  promptTokenIds: number[] | undefined;
}

/** A request as records have it. */
export interface CallRequest {
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
  'input_ids',
  'text',
  'history_token_ids',
  'user',
  'metadata',
]);

/** Reads a request loosely: the door behind it says what is wrong with it. */
export function readCallRequest(door: CallDoor, body: unknown): CallRequest {
  const fields = isFields(body) ? body : {};
  const sampling = Object.fromEntries(Object.entries(fields).filter(([name]) => !NOT_SAMPLING.has(name)));
  const { model, n, user, metadata, sampling_params: params } = fields;
  const samples = isFields(params) ? params['n'] : n;
  return {
    model: typeof model === 'string' ? model : '',
    conversations: door === 'chat' ? [readChat(fields['messages'])] : readPrompts(fields),
    samples: typeof samples === 'number' && samples >= 1 ? samples : 1,
    tools: toOfferedTools(fields['tools']),
    sampling,
    isStream: fields['stream'] === true,
    user: typeof user === 'string' && user !== '' ? user.slice(0, 200) : null,
    metadata: isFields(metadata) ? { ...metadata } : null,
  };
}

function readChat(messages: unknown): AskedConversation {
  return {
    messages: Array.isArray(messages) ? messages.map((message) => toRecordedMessage(message)) : [],
    promptTokenIds: undefined,
  };
}

/** A prompt is what a user said, as far as a conversation is concerned; `endpoint` in the metadata tells it apart. */
function readPrompts({ prompt, text, input_ids: inputIds }: Readonly<Record<string, unknown>>): AskedConversation[] {
  const given = prompt ?? inputIds ?? text;
  const prompts = Array.isArray(given) && !isTokenIds(given) ? given : [given];
  return prompts.map((each) => {
    const ids = isFields(each) ? each['prompt_token_ids'] : each;
    const promptTokenIds = isTokenIds(ids) ? ids : undefined;
    return {
      messages: [{ role: 'user', content: typeof each === 'string' ? each : null }],
      promptTokenIds,
    };
  });
}
