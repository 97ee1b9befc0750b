import type { ChatMessage } from '@lachesis/protocol';

/** A tool as the chat APIs have it. */
export type ToolDescription = Readonly<Record<string, unknown>>;

export interface PolicyRequest {
  readonly messages: readonly ChatMessage[];
  /** How many replies to the same messages. */
  readonly samples: number;
  readonly maxTokens: number;
  /** Prompt and reply together. A server that knows this cuts the reply; another one may give a sequence that is too long. */
  readonly maxTotalTokens?: number | undefined;
  readonly temperature: number;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly tools?: readonly ToolDescription[] | undefined;
  /** The last prompt and its reply as the server told them, so that it need not write the same text with other tokens. */
  readonly history?: Int32Array | undefined;
  /** One per sample, sent along so that the server's records name the rollout. */
  readonly rolloutIds?: readonly string[] | undefined;
  /** Counts against what the server takes of evaluations at once. */
  readonly isEvaluation?: boolean | undefined;
  /** Further fields of the request, as the server names them. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Tokens from start to end (exclusive) of the reply were sampled by this version of the policy. */
export type PolicyRange = readonly [start: number, end: number, version: number];

export interface Completion {
  readonly text: string;
  readonly message: ChatMessage;
  /** What the server really put in front of the model; empty when it does not tell. */
  readonly promptTokens: Int32Array;
  /** What was really sampled, the stop token included; empty when the server does not tell. */
  readonly tokens: Int32Array;
  /** One per token. */
  readonly logprobs: Float32Array;
  /** `stop`, `length`, `tool_calls`, or what else the server says. */
  readonly finishReason: string;
  /** Undefined when the server does not count versions. */
  readonly policyVersion: number | undefined;
  readonly policyRanges?: readonly PolicyRange[] | undefined;
  /** It stays in the sequence and is not trained on. */
  readonly isMasked?: boolean | undefined;
}

/** Whoever answers: the served policy of a run, any other server, or a script in a test. */
export interface Policy {
  /** Gives as many completions as samples were asked for, or throws; throwing never becomes a reward. */
  complete(request: PolicyRequest): Promise<readonly Completion[]>;
}

/** Whether the server told which tokens it saw and sampled; without them nothing can be trained on. */
export const hasTokens = (completion: Completion): boolean =>
  completion.promptTokens.length > 0 && completion.logprobs.length === completion.tokens.length;
