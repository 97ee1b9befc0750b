import type { CallRecord, CallState, ChatMessage } from '@lachesis/protocol';
import type { JsonFields } from './json-shapes.ts';

/** Which shape a call has: OpenAI's chat, its completions, its responses, or SGLang's and vLLM's `/generate`. */
export type CallEndpoint = 'chat' | 'completions' | 'responses' | 'generate';

/** One reply of a call, as far as it came. */
export interface CollectedChoice {
  /** OpenAI's index: with several prompts, those of the first come first. */
  index: number;
  message: ChatMessage;
  finishReason: string | null;
  /** What the elements of the lists are is checked once, when the record is made. */
  tokenIds: readonly number[] | undefined;
  logprobs: readonly number[] | undefined;
  promptTokenIds: readonly number[] | undefined;
  policyVersion: number | undefined;
}

/** What was said in answer to a call. */
export interface CollectedReply {
  choices: readonly CollectedChoice[];
  usage: NonNullable<CallRecord['usage']> | undefined;
  /** US dollars, where the upstream says it. */
  cost: number | undefined;
  /** As the answering server calls it. */
  model: string | undefined;
  /** The registered model that answered, where the server says it. */
  modelVersionId?: string | undefined;
  /** As the server calls its reply, such as `chatcmpl-…`. */
  responseId?: string | undefined;
}

/** What went wrong with a model call, as it is recorded. */
export type CallError = NonNullable<CallRecord['error']>;

/** How a call ended, and what had been said by then. */
export interface CallOutcome {
  state: CallState;
  reply: CollectedReply;
  error: CallError | null;
}

/** What is known of a reply before anything of it has come. */
export const EMPTY_REPLY: CollectedReply = { choices: [], usage: undefined, cost: undefined, model: undefined };

/** What is collected of the events of one API. */
export interface EventCollector {
  add(event: JsonFields, name: string): void;
  /** Everything that has begun has its reason for ending. */
  isFinished(): boolean;
  reply(): CollectedReply;
}
