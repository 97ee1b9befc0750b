import { isRecord } from '@lachesis/protocol';
import { EMPTY_REPLY, type CallEndpoint, type CollectedChoice, type CollectedReply } from './collected-reply.ts';
import { collectGenerate } from './collect-generate.ts';
import { collectResponse } from './collect-responses.ts';
import { asCount, asObject, asText, toNumbers, type JsonFields } from './json-shapes.ts';
import { findUsage, readCost, readUsage } from './read-usage.ts';
import { toReplyMessage } from './to-reply-message.ts';

/** Reads a whole reply of a model, which is in whatever shape its server likes. */
export function collectReply(endpoint: CallEndpoint, body: unknown): CollectedReply {
  if (endpoint === 'generate') return collectGenerate(body);
  if (!isRecord(body)) return EMPTY_REPLY;
  if (endpoint === 'responses') return collectResponse(body);
  return {
    choices: listChoices(body).map((choice, place) => collectChoice(endpoint, choice, place, body)),
    ...collectAround(body),
  };
}

export const listChoices = ({ choices }: JsonFields): JsonFields[] =>
  Array.isArray(choices) ? choices.filter(isRecord) : [];

/** What stands around the choices of a reply or of a piece of one. */
export function collectAround(body: JsonFields): Omit<CollectedReply, 'choices'> {
  const usage = findUsage(body);
  const modelVersionId = asText(body['model_version_id']);
  const responseId = asText(body['id']);
  return {
    usage: readUsage(usage),
    cost: readCost(usage),
    model: asText(body['model']),
    ...(modelVersionId === undefined ? {} : { modelVersionId }),
    ...(responseId === undefined ? {} : { responseId }),
  };
}

function collectChoice(endpoint: CallEndpoint, choice: JsonFields, place: number, body: JsonFields): CollectedChoice {
  const { message, text, finish_reason: finish } = choice;
  return {
    index: asCount(choice['index']) ?? place,
    message: endpoint === 'chat' ? toReplyMessage(message) : { role: 'assistant', content: asText(text) ?? null },
    finishReason: asText(finish) ?? null,
    ...collectTokens(choice),
    promptTokenIds: toNumbers(choice['prompt_token_ids'] ?? body['prompt_token_ids']),
    policyVersion: asCount(choice['policy_version'] ?? body['policy_version']),
  };
}

/** Ids and logprobs of a choice: our own fields, then vLLM's ids beside OpenAI's logprobs. */
export function collectTokens(choice: JsonFields): Pick<CollectedChoice, 'tokenIds' | 'logprobs'> {
  const { token_ids: ids, token_logprobs: own, logprobs } = choice;
  const { content, token_logprobs: older } = asObject(logprobs);
  const beside = content ?? older;
  const listed = Array.isArray(beside) ? beside.map((each) => (isRecord(each) ? each['logprob'] : each)) : undefined;
  return { tokenIds: toNumbers(ids), logprobs: toNumbers(own) ?? toNumbers(listed) };
}
