import type { RecordedMessage, RecordedToolCall } from '@lachesis/protocol';
import type { HeardChoice, HeardReply } from './heard-reply.ts';
import { asList, asNumber, asNumbers, asObject, asText, isObject, type JsonObject } from './json-shapes.ts';
import { readCost, readUsage } from './read-usage.ts';

/** A whole reply of `chat/completions` or `completions`. */
export function hearWhole(body: unknown): HeardReply {
  const reply = asObject(body);
  const choices = asList(reply['choices']).map((item): HeardChoice => {
    const choice = asObject(item);
    const text = asText(choice['text']);
    const message = isObject(choice['message']) ? choice['message'] : { role: 'assistant', content: text ?? '' };
    return {
      message: { role: 'assistant', ...message },
      finishReason: asText(choice['finish_reason']) ?? null,
      tokenIds: asNumbers(choice['token_ids']),
      logprobs: readLogprobs(choice),
      promptTokenIds: asNumbers(choice['prompt_token_ids']) ?? asNumbers(reply['prompt_token_ids']),
    };
  });
  return {
    choices,
    usage: readUsage(reply['usage']),
    cost: readCost(reply['usage']),
    policyVersion: asNumber(reply['policy_version']) ?? null,
    model: asText(reply['model']),
    error: undefined,
  };
}

interface OpenChoice {
  content: string | undefined;
  /** Other texts that grow: `reasoning_content`, `reasoning`, `refusal`. */
  texts: Map<string, string>;
  calls: Map<number, { id?: string; type?: string; name: string; arguments: string }>;
  finishReason: string | null;
  tokenIds: number[] | undefined;
  logprobs: number[] | undefined;
  promptTokenIds: readonly number[] | undefined;
}

/** Puts the pieces of a stream together as its reader would. */
export function createChatEar(): { hear(chunk: unknown): void; heard(): HeardReply } {
  const choices = new Map<number, OpenChoice>();
  let [usage, cost]: [HeardReply['usage'], number | null] = [null, null];
  let policyVersion: number | null = null;
  let promptTokenIds: readonly number[] | undefined;
  let model: string | undefined;
  let error: string | undefined;

  const choiceAt = (index: number): OpenChoice => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const made: OpenChoice = {
      ...{ content: undefined, texts: new Map(), calls: new Map(), finishReason: null },
      ...{ tokenIds: undefined, logprobs: undefined, promptTokenIds: undefined },
    };
    choices.set(index, made);
    return made;
  };

  return {
    hear(value) {
      const chunk = asObject(value);
      model ??= asText(chunk['model']);
      usage = readUsage(chunk['usage']) ?? usage;
      cost = readCost(chunk['usage']) ?? cost;
      policyVersion = asNumber(chunk['policy_version']) ?? policyVersion;
      promptTokenIds ??= asNumbers(chunk['prompt_token_ids']);
      if (isObject(chunk['error'])) error = asText(chunk['error']['message']) ?? 'the stream ended with an error';
      for (const item of asList(chunk['choices'])) {
        const part = asObject(item);
        addPart(choiceAt(asNumber(part['index']) ?? 0), part);
      }
    },
    heard: () => ({
      choices: [...choices.entries()]
        .toSorted(([left], [right]) => left - right)
        .map(([, choice]) => finish(choice, promptTokenIds)),
      ...{ usage, cost, policyVersion, model, error },
    }),
  };
}

function addPart(choice: OpenChoice, part: JsonObject): void {
  const delta = asObject(part['delta']);
  const content = asText(delta['content']) ?? asText(part['text']);
  if (content !== undefined) choice.content = (choice.content ?? '') + content;
  for (const name of ['reasoning_content', 'reasoning', 'refusal']) {
    const text = asText(delta[name]);
    if (text !== undefined) choice.texts.set(name, (choice.texts.get(name) ?? '') + text);
  }
  for (const item of asList(delta['tool_calls'])) addCall(choice, asObject(item));
  choice.finishReason = asText(part['finish_reason']) ?? choice.finishReason;
  const ids = asNumbers(part['token_ids']);
  if (ids !== undefined) choice.tokenIds = [...(choice.tokenIds ?? []), ...ids];
  const logprobs = readLogprobs(part);
  if (logprobs !== undefined) choice.logprobs = [...(choice.logprobs ?? []), ...logprobs];
  choice.promptTokenIds ??= asNumbers(part['prompt_token_ids']);
}

function addCall(choice: OpenChoice, delta: JsonObject): void {
  // Some servers leave the index out and send each call whole.
  const index = asNumber(delta['index']) ?? choice.calls.size;
  const call = choice.calls.get(index) ?? { name: '', arguments: '' };
  const id = asText(delta['id']);
  const type = asText(delta['type']);
  if (id !== undefined) call.id ??= id;
  if (type !== undefined) call.type ??= type;
  const { name, arguments: text } = asObject(delta['function']);
  call.name += asText(name) ?? '';
  call.arguments += asText(text) ?? '';
  choice.calls.set(index, call);
}

function finish(choice: OpenChoice, promptTokenIds: readonly number[] | undefined): HeardChoice {
  const calls = [...choice.calls.entries()]
    .toSorted(([left], [right]) => left - right)
    .map(([, { id, type, name, arguments: text }]): RecordedToolCall => ({
      ...(id === undefined ? {} : { id }),
      type: type ?? 'function',
      function: { name, arguments: text },
    }));
  const message: RecordedMessage = {
    role: 'assistant',
    content: choice.content ?? null,
    ...Object.fromEntries(choice.texts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const { finishReason, tokenIds, logprobs } = choice;
  return { message, finishReason, tokenIds, logprobs, promptTokenIds: choice.promptTokenIds ?? promptTokenIds };
}

/** One number per sampled token: ours and SGLang's in a list, OpenAI's and vLLM's beside each token. */
function readLogprobs(choice: JsonObject): readonly number[] | undefined {
  const flat = asNumbers(choice['token_logprobs']);
  if (flat !== undefined) return flat;
  const logprobs = asObject(choice['logprobs']);
  const older = asNumbers(logprobs['token_logprobs']);
  if (older !== undefined) return older;
  if (!Array.isArray(logprobs['content'])) return undefined;
  return asNumbers(logprobs['content'].map((entry) => asObject(entry)['logprob']));
}
