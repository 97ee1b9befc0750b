import { createReplyCollector, readCallRequest, toCallFacts } from '@lachesis/sdk/capture';

import { factsOf } from './facts.ts';
import type { ReplyCase, ReplyFacts } from './make-replies.ts';

type Json = Record<string, unknown>;

interface Mutant {
  readonly fault: string;
  /** What a reader with the fault would make of a reply or of an event of one. */
  spoil(body: Json): void;
}

const callsOf = (body: Json): Json[] =>
  ((body['choices'] ?? []) as Json[]).flatMap((choice) => {
    const message = (choice['delta'] ?? choice['message'] ?? {}) as Json;
    return (message['tool_calls'] ?? []) as Json[];
  });

let made = 0;

/** Readers with one fault each, as there were two of: the fault is put into what the reader is given. */
export const mutants: readonly Mutant[] = [
  {
    fault: 'arguments that are an object are lost',
    spoil(body) {
      for (const { function: called } of callsOf(body) as { function?: Json }[]) {
        if (called !== undefined && typeof called['arguments'] === 'object') called['arguments'] = '';
      }
    },
  },
  {
    fault: 'a piece without an index is a call of its own',
    spoil(body) {
      for (const call of callsOf(body)) if (call['index'] === undefined) call['index'] = 1_000 + (made += 1);
    },
  },
  {
    fault: 'usage is read in one form alone',
    spoil(body) {
      const { usage } = body as { usage?: Json };
      if (usage?.['prompt_tokens'] === undefined) delete body['usage'];
      delete body['x_groq'];
      for (const choice of (body['choices'] ?? []) as Json[]) delete choice['usage'];
    },
  },
  {
    fault: 'thinking is read under one name alone',
    spoil(body) {
      for (const choice of (body['choices'] ?? []) as Json[])
        delete ((choice['delta'] ?? choice['message'] ?? {}) as Json)['reasoning'];
    },
  },
  {
    fault: 'a refusal is not read',
    spoil(body) {
      for (const choice of (body['choices'] ?? []) as Json[])
        delete ((choice['delta'] ?? choice['message'] ?? {}) as Json)['refusal'];
    },
  },
  {
    fault: 'a stream that ends without its last word is whole',
    spoil(body) {
      for (const choice of (body['choices'] ?? []) as Json[]) choice['finish_reason'] ??= 'stop';
    },
  },
];

/** What the reader makes of a case, its bytes spoilt on the way; with no mutant, what it makes of the bytes themselves. */
export function readCase(one: ReplyCase, mutant?: Mutant): ReplyFacts {
  const { endpoint, status, isStream, pieces, end } = one;
  const contentType = isStream && status === 200 ? 'text/event-stream' : 'application/json';
  const collector = createReplyCollector({ endpoint, status, contentType });
  for (const piece of mutant === undefined ? pieces : [spoilBytes(one, mutant)]) collector.add(piece);
  const outcome = end === 'break' ? collector.breakOff() : collector.end();
  return factsOf(toCallFacts(readCallRequest(endpoint, { model: one.name }), outcome, 0));
}

function spoilBytes({ pieces, isStream, status }: ReplyCase, mutant: Mutant): Buffer {
  const text = Buffer.concat(pieces).toString();
  const spoil = (json: string): string => {
    const body = JSON.parse(json) as Json;
    mutant.spoil(body);
    return JSON.stringify(body);
  };
  if (!isStream || status !== 200) return Buffer.from(spoil(text));
  return Buffer.from(
    text.replaceAll(/^data: (\{.*\})(\r?)$/gm, (_line, json: string, end: string) => `data: ${spoil(json)}${end}`),
  );
}
