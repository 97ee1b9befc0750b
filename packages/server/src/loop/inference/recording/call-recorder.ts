import type { RecordedMessage } from '@lachesis/protocol';
import type { CallLabels } from './call-labels.ts';

/** Which shape a request has: OpenAI's chat, its completions, or SGLang's and vLLM's `/generate`. */
export type CallDoor = 'chat' | 'completions' | 'generate';

/** One call as it begins. */
export interface BegunCall {
  door: CallDoor;
  /** The request as JSON, unchecked: what cannot be read is recorded as empty. */
  body: unknown;
  labels: CallLabels;
  tenantId: string;
  /** The host that answers; null for weights of our own. */
  upstream: string | null;
}

/** One reply of a call, as it was heard so far. */
export interface HeardChoice {
  /** OpenAI's index: with several prompts, those of the first come first. */
  index: number;
  message: RecordedMessage;
  finishReason: string | null;
  tokenIds: readonly number[] | undefined;
  logprobs: readonly number[] | undefined;
  promptTokenIds: readonly number[] | undefined;
  policyVersion: number | undefined;
}

/** What was said in answer to a call. */
export interface HeardReply {
  choices: readonly HeardChoice[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined;
  /** US dollars, where the upstream says it. */
  cost: number | undefined;
  /** As the answering server calls it. */
  model: string | undefined;
  /** The registered model that answered, where the server says it. */
  modelVersionId?: string | undefined;
}

export interface CallError {
  message: string;
  status: number | null;
}

/** A call under way. It ends once: what is said after the first end has no effect. */
export interface OpenCall {
  /** The trajectory it belongs to, where that is known before the reply. */
  readonly trajectoryId: string | undefined;
  /** The first piece of the reply has come. */
  begun(): void;
  /** The reply is whole. Returns when the record would survive the end of this process. */
  complete(heard: HeardReply): void;
  /** The caller left, or the reply broke off, with an error where one was said. */
  interrupted(heard: HeardReply | undefined, error?: CallError): void;
  /** There is no reply. */
  failed(error: CallError): void;
}

/** Records calls. It never throws and never waits: an agent must not fail because it is recorded. */
export interface CallRecorder {
  /** Undefined for a call that is left out. */
  begin(call: BegunCall): OpenCall | undefined;
}

/** Records nothing. */
export const noRecorder: CallRecorder = { begin: () => undefined };
