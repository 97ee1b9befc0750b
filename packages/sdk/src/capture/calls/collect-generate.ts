import { isRecord } from '@lachesis/protocol';
import { EMPTY_REPLY, type CollectedChoice, type CollectedReply } from './collected-reply.ts';
import { asCount, toNumbers, type JsonFields } from './json-shapes.ts';

/** A reply of `/generate`, in either shape. Each event of a stream has the whole text so far. */
export function collectGenerate(body: unknown): CollectedReply {
  const answers = (Array.isArray(body) ? body : [body]).filter(isRecord);
  const [first] = answers;
  if (first === undefined) return EMPTY_REPLY;
  const choices = Array.isArray(first['text']) ? collectVllm(first) : answers.map(collectSglang);
  return { ...EMPTY_REPLY, choices, usage: countTokens(choices, answers) };
}

/** Lists side by side: texts, ids, and for each position a list of one map from id to log probability. */
function collectVllm(body: JsonFields): CollectedChoice[] {
  const [ids, logprobs, finishes] = [body['token_ids'], body['logprobs'], body['finish_reasons']].map(
    (list): unknown[] | undefined => toNumbers(list),
  );
  return (body['text'] as unknown[]).map((text, index) => {
    const tokenIds = toNumbers(ids?.[index]);
    const rows: unknown[] | undefined = toNumbers(logprobs?.[index]);
    const finish = finishes?.[index];
    return {
      index,
      message: { role: 'assistant', content: typeof text === 'string' ? text : null },
      finishReason: typeof finish === 'string' ? finish : null,
      tokenIds,
      logprobs: rows?.map((row, place) => {
        const map: unknown = Array.isArray(row) ? row[0] : row;
        return (isRecord(map) ? map[String(tokenIds?.[place])] : map) as number;
      }),
      promptTokenIds: toNumbers(body['prompt_token_ids']),
      policyVersion: asCount(body['policy_version']),
    };
  });
}

function collectSglang(answer: JsonFields, index: number): CollectedChoice {
  const meta = isRecord(answer['meta_info']) ? answer['meta_info'] : {};
  const finish = meta['finish_reason'];
  const triples: unknown[] | undefined = toNumbers(meta['output_token_logprobs']);
  const tripled = (at: number): number[] | undefined =>
    triples?.map((triple) => (Array.isArray(triple) ? (triple[at] as number) : Number.NaN));
  return {
    index,
    message: { role: 'assistant', content: typeof answer['text'] === 'string' ? answer['text'] : null },
    finishReason: isRecord(finish) && typeof finish['type'] === 'string' ? finish['type'] : null,
    tokenIds: toNumbers(answer['output_ids']) ?? tripled(1),
    logprobs: tripled(0),
    promptTokenIds: undefined,
    policyVersion: asCount(meta['policy_version']),
  };
}

function countTokens(choices: readonly CollectedChoice[], answers: readonly JsonFields[]): CollectedReply['usage'] {
  const meta = answers[0]?.['meta_info'];
  const prompt = isRecord(meta) ? meta['prompt_tokens'] : choices[0]?.promptTokenIds?.length;
  if (typeof prompt !== 'number' || choices.some(({ tokenIds }) => tokenIds === undefined)) return undefined;
  const completion = choices.reduce((sum, { tokenIds }) => sum + (tokenIds?.length ?? 0), 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
