import type { CallDoor, HeardChoice, HeardReply } from './call-recorder.ts';
import { isFields, toRecordedMessage } from './to-recorded-message.ts';

type Fields = Readonly<Record<string, unknown>>;

export const NOTHING_HEARD: HeardReply = { choices: [], usage: undefined, cost: undefined, model: undefined };

/** Reads a whole reply of an upstream, which is in whatever shape it likes. */
export function hearWhole(door: CallDoor, body: unknown): HeardReply {
  if (door === 'generate') return hearGenerate(body);
  if (!isFields(body)) return NOTHING_HEARD;
  const choices = Array.isArray(body['choices']) ? body['choices'].filter(isFields) : [];
  return {
    choices: choices.map((choice, place) => hearChoice(door, choice, place, body)),
    ...hearAround(body),
  };
}

/** What stands around the choices of a reply or of a piece of one. */
export function hearAround(body: Fields): Pick<HeardReply, 'usage' | 'cost' | 'model' | 'modelVersionId'> {
  const { usage, model, model_version_id: modelVersionId } = body;
  const said = isFields(usage) ? usage : {};
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total, cost } = said;
  const isCounted = Number.isSafeInteger(prompt) && Number.isSafeInteger(completion);
  return {
    usage: isCounted
      ? {
          prompt_tokens: prompt as number,
          completion_tokens: completion as number,
          total_tokens: Number.isSafeInteger(total) ? (total as number) : (prompt as number) + (completion as number),
        }
      : undefined,
    cost: typeof cost === 'number' && Number.isFinite(cost) ? cost : undefined,
    model: typeof model === 'string' ? model : undefined,
    ...(typeof modelVersionId === 'string' ? { modelVersionId } : {}),
  };
}

function hearChoice(door: CallDoor, choice: Fields, place: number, body: Fields): HeardChoice {
  const { index, message, text, finish_reason: finish } = choice;
  return {
    index: typeof index === 'number' ? index : place,
    message:
      door === 'chat'
        ? toRecordedMessage(message, 'assistant')
        : { role: 'assistant', content: typeof text === 'string' ? text : null },
    finishReason: typeof finish === 'string' ? finish : null,
    ...hearTokens(choice),
    promptTokenIds: asList(choice['prompt_token_ids'] ?? body['prompt_token_ids']),
    policyVersion: asVersion(choice['policy_version'] ?? body['policy_version']),
  };
}

/** Ids and logprobs of a choice: our own fields, then vLLM's ids beside OpenAI's logprobs. */
export function hearTokens(choice: Fields): Pick<HeardChoice, 'tokenIds' | 'logprobs'> {
  const { token_ids: ids, token_logprobs: own, logprobs } = choice;
  const named = isFields(logprobs) ? (logprobs['content'] ?? logprobs['token_logprobs']) : undefined;
  const list = asList(own) ?? asList(named)?.map((each: unknown) => (isFields(each) ? each['logprob'] : each));
  return { tokenIds: asList(ids), logprobs: list as number[] | undefined };
}

function hearGenerate(body: unknown): HeardReply {
  const answers = (Array.isArray(body) ? body : [body]).filter(isFields);
  const [first] = answers;
  if (first === undefined) return NOTHING_HEARD;
  const choices = Array.isArray(first['text']) ? hearVllm(first) : answers.map(hearSglang);
  return { ...NOTHING_HEARD, choices, usage: countTokens(choices, answers) };
}

/** Lists side by side: texts, ids, and for each position a list of one map from id to log probability. */
function hearVllm(body: Fields): HeardChoice[] {
  const [ids, logprobs, finishes] = [body['token_ids'], body['logprobs'], body['finish_reasons']].map(
    (list) => asList(list) as unknown[] | undefined,
  );
  return (body['text'] as unknown[]).map((text, index) => {
    const tokenIds = asList(ids?.[index]);
    const rows = asList(logprobs?.[index]) as unknown[] | undefined;
    const finish = finishes?.[index];
    return {
      index,
      message: { role: 'assistant', content: typeof text === 'string' ? text : null },
      finishReason: typeof finish === 'string' ? finish : null,
      tokenIds,
      logprobs: rows?.map((row, place) => {
        const map: unknown = Array.isArray(row) ? row[0] : row;
        return (isFields(map) ? map[String(tokenIds?.[place])] : map) as number;
      }),
      promptTokenIds: asList(body['prompt_token_ids']),
      policyVersion: asVersion(body['policy_version']),
    };
  });
}

function hearSglang(answer: Fields, index: number): HeardChoice {
  const meta = isFields(answer['meta_info']) ? answer['meta_info'] : {};
  const finish = meta['finish_reason'];
  const triples = asList(meta['output_token_logprobs']) as unknown[] | undefined;
  const tripled = (at: number): number[] | undefined =>
    triples?.map((triple) => (Array.isArray(triple) ? (triple[at] as number) : Number.NaN));
  return {
    index,
    message: { role: 'assistant', content: typeof answer['text'] === 'string' ? answer['text'] : null },
    finishReason: isFields(finish) && typeof finish['type'] === 'string' ? finish['type'] : null,
    tokenIds: asList(answer['output_ids']) ?? tripled(1),
    logprobs: tripled(0),
    promptTokenIds: undefined,
    policyVersion: asVersion(meta['policy_version']),
  };
}

function countTokens(choices: readonly HeardChoice[], answers: readonly Fields[]): HeardReply['usage'] {
  const meta = answers[0]?.['meta_info'];
  const prompt = isFields(meta) ? meta['prompt_tokens'] : choices[0]?.promptTokenIds?.length;
  if (typeof prompt !== 'number' || choices.some(({ tokenIds }) => tokenIds === undefined)) return undefined;
  const completion = choices.reduce((sum, { tokenIds }) => sum + (tokenIds?.length ?? 0), 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

// What the elements are is checked once, when the record is made.
const asList = (value: unknown): number[] | undefined => (Array.isArray(value) ? (value as number[]) : undefined);

const asVersion = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined);
