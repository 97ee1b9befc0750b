import { isRecord } from '@lachesis/protocol';
import { createEventParser, type ServerEvent } from '../../clients/event-parser.ts';
import {
  EMPTY_REPLY,
  type CallEndpoint,
  type CallError,
  type CallOutcome,
  type CollectedChoice,
  type CollectedReply,
  type EventCollector,
} from './collected-reply.ts';
import { collectGenerate } from './collect-generate.ts';
import { collectAround, collectReply, collectTokens, listChoices } from './collect-reply.ts';
import { createResponseCollector } from './collect-responses.ts';
import { describeUpstreamError } from './describe-error.ts';
import { asCount, asText, parseJson, toNumbers, type JsonFields } from './json-shapes.ts';
import { createMessageCollector, type MessageCollector } from './message-collector.ts';

export interface ReplyCollectorOptions {
  endpoint: CallEndpoint;
  /** The HTTP status and content type of the reply. */
  status: number;
  contentType: string | null | undefined;
}

/** Collects the reply to a call while it passes. It keeps texts and never holds up a byte. */
export interface ReplyCollector {
  readonly isStream: boolean;
  /** The server has said that nothing more comes: clients may stop reading here. */
  readonly isDone: boolean;
  /** As the server calls a streamed reply, once it has said it. */
  readonly responseId: string | undefined;
  /** A piece is about to be passed on. */
  add(bytes: Uint8Array): void;
  /** The reply has ended. A stream without its last word broke off, however friendly its end was. */
  end(): CallOutcome;
  /** The reply ends here, whoever ended it; the error where it was not the caller. */
  breakOff(error?: CallError): CallOutcome;
}

/** A reply that is longer, or an event of one, is passed on and not recorded. */
const MAX_BYTES = 64 * 1024 * 1024;
const LAST_DATA = '[DONE]';

/** Puts the pieces of a streamed reply together, whichever of the known shapes they have. */
export function createReplyCollector({ endpoint, status, contentType }: ReplyCollectorOptions): ReplyCollector {
  const isStream = status < 400 && contentType?.includes('event-stream') === true;
  return isStream ? collectStream(endpoint) : collectWhole(endpoint, status);
}

function collectWhole(endpoint: CallEndpoint, status: number): ReplyCollector {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return {
    isStream: false,
    isDone: false,
    responseId: undefined,
    add(piece) {
      bytes += piece.byteLength;
      if (bytes <= MAX_BYTES) pieces.push(piece);
      else pieces.length = 0;
    },
    end() {
      if (bytes > MAX_BYTES) {
        const message = `the reply has ${bytes} bytes, too many to record`;
        return { state: 'interrupted', reply: EMPTY_REPLY, error: { message, status } };
      }
      return readWhole(endpoint, status, new TextDecoder().decode(Buffer.concat(pieces)));
    },
    breakOff: (error) => ({ state: 'interrupted', reply: EMPTY_REPLY, error: error ?? null }),
  };
}

function readWhole(endpoint: CallEndpoint, status: number, text: string): CallOutcome {
  const failed = (error: CallError): CallOutcome => ({ state: 'failed', reply: EMPTY_REPLY, error });
  const body = parseJson(text);
  const { error } = isRecord(body) ? body : {};
  if (status >= 400) return failed(describeUpstreamError(isRecord(body) ? (error ?? body) : text, status));
  if (body === undefined) return failed({ message: 'the reply of the upstream is not JSON', status });
  const reply = collectReply(endpoint, body);
  // Routers answer 200 when a provider behind them failed.
  if (isRecord(error) && !hasWords(reply)) return failed(describeUpstreamError(error));
  return { state: 'complete', reply, error: null };
}

const hasWords = ({ choices }: CollectedReply): boolean =>
  choices.some(({ message: { content, tool_calls: calls } }) => (content ?? '') !== '' || calls !== undefined);

function collectStream(endpoint: CallEndpoint): ReplyCollector {
  const events = createEventCollector(endpoint);
  let error: CallError | undefined;
  let isDone = false;
  let responseId: string | undefined;

  function onEvent({ data, event: name }: ServerEvent): void {
    if (data.trim() === LAST_DATA) {
      isDone = true;
      return;
    }
    // Bytes that are no event are passed by; the caller has them too.
    const event = data === '' ? undefined : parseJson(data);
    if (!isRecord(event)) return;
    responseId ??= asText(isRecord(event['response']) ? event['response']['id'] : event['id']);
    const failure = findFailure(event, name);
    if (failure !== undefined) error ??= describeUpstreamError(failure);
    events.add(event, name);
  }

  const parser = createEventParser({ onEvent, lastData: LAST_DATA, maxCharacters: MAX_BYTES });
  return {
    isStream: true,
    get isDone() {
      // The responses API has no last line: the event with the whole response is it.
      return isDone || (endpoint === 'responses' && events.isFinished());
    },
    get responseId() {
      return responseId;
    },
    add: (bytes) => parser.add(bytes),
    end() {
      // The last event may have come without the empty line behind it.
      if (!isDone) parser.end();
      const reply = events.reply();
      if (error !== undefined) return { state: 'interrupted', reply, error };
      if (isDone || events.isFinished()) return { state: 'complete', reply, error: null };
      const message = 'the upstream ended the stream before the reply';
      return { state: 'interrupted', reply, error: { message, status: null } };
    },
    breakOff: (reason) => ({ state: 'interrupted', reply: events.reply(), error: error ?? reason ?? null }),
  };
}

/** What a server says went wrong in the middle of a stream: beside the choices, as an event, or in a failed response. */
function findFailure(event: JsonFields, name: string): unknown {
  const { error, type, response } = event;
  if (error !== undefined && error !== null) return error;
  if (name === 'error' || type === 'error') return event;
  if (type !== 'response.failed') return undefined;
  return (isRecord(response) ? response['error'] : undefined) ?? 'the response failed';
}

function createEventCollector(endpoint: CallEndpoint): EventCollector {
  if (endpoint === 'responses') return createResponseCollector();
  return endpoint === 'generate' ? createGenerateCollector() : createChoicesCollector(endpoint);
}

function createGenerateCollector(): EventCollector {
  let reply = EMPTY_REPLY;
  return {
    add: (event) => void (reply = collectGenerate(event)),
    isFinished: () => false,
    reply: () => reply,
  };
}

interface OpenChoice extends Omit<CollectedChoice, 'index' | 'message' | 'tokenIds' | 'logprobs'> {
  message: MessageCollector;
  tokenIds: number[] | undefined;
  logprobs: number[] | undefined;
}

/** Puts the choices of a streamed chat or completion together. */
function createChoicesCollector(endpoint: 'chat' | 'completions'): EventCollector {
  const choices = new Map<number, OpenChoice>();
  let around: Omit<CollectedReply, 'choices'> = EMPTY_REPLY;
  /** Said once for all choices, with the first of them or with none. */
  let shared: Pick<CollectedChoice, 'promptTokenIds' | 'policyVersion'> = {
    promptTokenIds: undefined,
    policyVersion: undefined,
  };

  function addChoice(choice: JsonFields, place: number): void {
    const index = asCount(choice['index']) ?? place;
    const known = choices.get(index);
    const open = known ?? openChoice();
    if (known === undefined) choices.set(index, open);
    if (endpoint === 'completions') open.message.add({ content: choice['text'] });
    else if (isRecord(choice['delta'])) open.message.add(choice['delta']);
    open.finishReason = asText(choice['finish_reason']) ?? open.finishReason;
    const { tokenIds, logprobs } = collectTokens(choice);
    open.tokenIds = append(open.tokenIds, tokenIds);
    open.logprobs = append(open.logprobs, logprobs);
    open.promptTokenIds = toNumbers(choice['prompt_token_ids']) ?? open.promptTokenIds;
    open.policyVersion = asCount(choice['policy_version']) ?? open.policyVersion;
  }

  return {
    add(event) {
      around = joinAround(around, collectAround(event));
      shared = {
        promptTokenIds: shared.promptTokenIds ?? toNumbers(event['prompt_token_ids']),
        policyVersion: asCount(event['policy_version']) ?? shared.policyVersion,
      };
      for (const [place, choice] of listChoices(event).entries()) addChoice(choice, place);
    },
    isFinished: () => choices.size > 0 && [...choices.values()].every(({ finishReason }) => finishReason !== null),
    reply: () => ({
      choices: [...choices]
        .toSorted(([left], [right]) => left - right)
        .map(([index, choice]) => ({
          ...choice,
          index,
          message: choice.message.message(),
          promptTokenIds: choice.promptTokenIds ?? shared.promptTokenIds,
          policyVersion: choice.policyVersion ?? shared.policyVersion,
        })),
      ...around,
    }),
  };
}

const openChoice = (): OpenChoice => ({
  ...{ message: createMessageCollector(), finishReason: null, tokenIds: undefined, logprobs: undefined },
  ...{ promptTokenIds: undefined, policyVersion: undefined },
});

/** The last word counts: servers that count in every piece have the whole count in the last. */
function joinAround(
  known: Omit<CollectedReply, 'choices'>,
  said: Omit<CollectedReply, 'choices'>,
): Omit<CollectedReply, 'choices'> {
  const modelVersionId = said.modelVersionId ?? known.modelVersionId;
  const responseId = known.responseId ?? said.responseId;
  return {
    usage: said.usage ?? known.usage,
    cost: said.cost ?? known.cost,
    model: said.model ?? known.model,
    ...(modelVersionId === undefined ? {} : { modelVersionId }),
    ...(responseId === undefined ? {} : { responseId }),
  };
}

function append(known: number[] | undefined, more: readonly number[] | undefined): number[] | undefined {
  if (more === undefined) return known;
  if (known === undefined) return [...more];
  for (const each of more) known.push(each);
  return known;
}
