import { formatPythonJson } from '@lachesis/sdk/render';
import { type Random, createRandom } from '../../../conformance/render/random.ts';

export interface LongRowsOptions {
  readonly count: number;
  readonly seed: number;
  /** Of calls and answers, behind the question. */
  readonly exchanges: number;
}

const WORDS =
  'the agent looked into src/main.ts and found 42 errors in function parseValue, so it decided to run npm test again because line 118 of the log says that the server at port 8080 answered with status 503 after 3.5 seconds'.split(
    ' ',
  );

/** Lines of a batch run with long answers of tools. The first element is the same in all of them, as a batch run writes it. */
export function* makeLongRows({ count, seed, exchanges }: LongRowsOptions): Generator<string> {
  const random = createRandom(seed);
  const preamble = makeText(createRandom(1), 9_000);
  for (let at = 0; at < count; at += 1) {
    const conversations = [
      { from: 'system', value: preamble },
      { from: 'human', value: `Task ${at}: ${makeText(random, 400)}` },
    ];
    for (let turn = 0; turn < exchanges; turn += 1) {
      const call = { name: 'terminal', arguments: { command: `grep -n error log-${at}-${turn}.txt`, timeout: 60 } };
      const content = makeText(random, random.chance(0.3) ? 4_500 : 900);
      conversations.push(
        {
          from: 'gpt',
          value: `<think>\n${makeText(random, 350)}\n</think>\n<tool_call>\n${formatPythonJson(call)}\n</tool_call>`,
        },
        {
          from: 'tool',
          value: `<tool_response>\n${formatPythonJson({ tool_call_id: `c${turn}`, name: 'terminal', content })}\n</tool_response>`,
        },
      );
    }
    conversations.push({ from: 'gpt', value: `<think>\n</think>\nDone: ${makeText(random, 300)}` });
    yield formatPythonJson({ prompt_index: at, conversations, completed: true, partial: false, api_calls: exchanges });
  }
}

function makeText(random: Random, characters: number): string {
  const words: string[] = [];
  for (let length = 0; length < characters;) {
    const word = random.chance(0.1) ? String(random.integer(100_000)) : random.pick(WORDS);
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
}
