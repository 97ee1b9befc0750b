/**
 * What is used of the AI SDK's language models, specification 4 and the ones before it that have the same fields. Written
 * here so that this package does not depend on theirs; their types fit into these.
 */

export interface PromptMessage {
  role: string;
  content: unknown;
}

export interface CallParameters {
  prompt: readonly PromptMessage[];
  tools?: readonly object[] | undefined;
}

export interface ModelFacts {
  readonly provider: string;
  readonly modelId: string;
}

export interface GenerateResult {
  content: readonly { type: string }[];
  finishReason: unknown;
  usage: unknown;
  response?:
    | { id?: string | undefined; modelId?: string | undefined; headers?: Record<string, string> | undefined }
    | undefined;
}

export interface StreamResult<Part> {
  stream: ReadableStream<Part>;
  response?: { headers?: Record<string, string> | undefined } | undefined;
}
