import type { CallRecord } from '@lachesis/protocol';
import type { CallOutcome } from './collected-reply.ts';
import type { CallRequest } from './read-call-request.ts';
import { toRecordedTokens } from './to-recorded-tokens.ts';

/** What a record of a call says of what was asked and answered; who asked, when and where is the recorder's to add. */
export type CapturedCallFacts = Pick<
  CallRecord,
  | 'state'
  | 'error'
  | 'model'
  | 'messages'
  | 'tools'
  | 'sampling'
  | 'is_stream'
  | 'replies'
  | 'usage'
  | 'response_id'
  | 'metadata'
>;

/** The facts of one of the conversations that a request asks for; each is a record. */
export function toCallFacts(
  request: CallRequest,
  { state, reply, error }: CallOutcome,
  place: number,
): CapturedCallFacts {
  const { samples, conversations } = request;
  const { messages = [], promptTokenIds: askedIds } = conversations[place] ?? {};
  const own =
    conversations.length === 1
      ? reply.choices
      : reply.choices.filter(({ index }) => Math.floor(index / samples) === place);
  const model = reply.model ?? request.model;
  return {
    ...{ state, error, model, messages },
    tools: request.tools,
    sampling: request.sampling,
    is_stream: request.isStream,
    replies: own.map((choice) => ({
      message: choice.message,
      finish_reason: choice.finishReason,
      ...toRecordedTokens(choice, { state, askedIds }),
    })),
    // Counted for the whole request, and kept once.
    usage: place === 0 ? (reply.usage ?? null) : null,
    // Of several conversations the first: the others are found by their turns.
    ...(place === 0 && isShort(reply.responseId) ? { response_id: reply.responseId } : {}),
    metadata: toMetadata(request, model, reply.modelVersionId),
  };
}

/** What is longer than a record takes is no id. */
const isShort = (id: string | undefined): id is string => id !== undefined && id !== '' && id.length <= 200;

function toMetadata(request: CallRequest, model: string, modelVersionId: string | undefined): CallRecord['metadata'] {
  // Who answered is the server's to say, and not the caller's: lineage is made of it.
  const { model_version_id: _said, ...said } = request.metadata ?? {};
  const metadata = {
    ...said,
    ...(request.endpoint === 'chat' ? {} : { endpoint: request.endpoint }),
    ...(request.model === '' || request.model === model ? {} : { asked_model: request.model }),
    ...(modelVersionId === undefined ? {} : { model_version_id: modelVersionId }),
  };
  return Object.keys(metadata).length === 0 ? null : metadata;
}
