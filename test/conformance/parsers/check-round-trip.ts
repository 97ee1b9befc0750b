import { parseJson } from '@lachesis/sdk/render';
import { renderTemplateText } from '../../../packages/sdk/src/render/template/render-template-text.ts';

import { createRandom } from '../render/random.ts';
import { type CallWriter, toJson } from './corpus/call-writer.ts';
import { makeCalls, makeTools } from './make-calls.ts';
import { type CreateParser, listCalls, readReply } from './read-reply.ts';
import { CALL_TEMPLATES } from './templates.ts';

export interface RoundTripOptions {
  readonly writer: CallWriter;
  readonly createParser: CreateParser;
  readonly count: number;
  readonly seed: number;
}

/** Renders calls with the template of the format and reads them back: names, arguments and their order are the same. */
export function checkRoundTrip(options: RoundTripOptions): readonly string[] {
  const { writer, createParser, count, seed } = options;
  const { format } = writer;
  const failures: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const random = createRandom(seed * 1_000_003 + index);
    const calls = makeCalls(random, writer);
    // Two calls of one name with other types have no schema that fits both.
    const meant = calls.filter((call, at) => calls.findIndex(({ name }) => name === call.name) === at);
    const text = renderTemplateText({
      template: CALL_TEMPLATES[format],
      variables: { calls: meant.map((call) => ({ name: call.name, arguments: parseJson(toJson(call)) })) },
    });
    const read = listCalls(readReply({ createParser, format, pieces: [text], tools: makeTools(meant) }));
    const found = read.map((call) => [call.name, JSON.stringify(call.arguments)]);
    const wanted = meant.map((call) => [call.name, JSON.stringify(JSON.parse(toJson(call)))]);
    if (JSON.stringify(found) === JSON.stringify(wanted)) continue;
    failures.push(`${format}, seed ${seed}, case ${index}: ${JSON.stringify(text)} gave ${JSON.stringify(found)}`);
  }
  return failures;
}
