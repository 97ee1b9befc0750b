import { parsePythonJson } from '../../../../packages/data/src/records/python/parse-python-json.ts';
import { formatPythonJson } from '@lachesis/sdk/render';
import { type Random, createRandom } from '../../render/random.ts';

export interface MakeTrajectoriesOptions {
  readonly count: number;
  readonly seed: number;
  /** Turns of a long row. */
  readonly turns?: number;
  /** Characters of a long value. */
  readonly characters?: number;
}

const WORDS = [
  ...['the agent', 'looked', 'into', 'src/main.ts', 'and found', '42 errors', 'therefore', 'it decided', 'to run'],
  ...[
    'grüße',
    '世界',
    '😀👩‍🚀',
    'a "quoted" word',
    'back\\slash',
    'line\nbreak',
    'tab\there',
    '3.1415',
    'because',
    '\u2028',
  ],
];

const FIELDS =
  '{"batch_num": 1, "model": "scripted", "cost": 1.0, "id": 123456789012345678901234567890, "2": "two", "b": 1e5}';

/** Lines as Hermes writes them: with and without the usual roles, with short and long turns, with odd numbers beside. */
export function* makeTrajectories(options: MakeTrajectoriesOptions): Generator<string> {
  const random = createRandom(options.seed);
  for (let at = 0; at < options.count; at += 1) {
    const row = new Map<string, unknown>([
      ['prompt_index', at],
      ['conversations', makeTurns(random, at, options)],
      ['metadata', parsePythonJson(FIELDS)],
      ['completed', random.chance(0.8)],
    ]);
    yield formatPythonJson(row);
  }
}

function makeTurns(random: Random, at: number, { turns = 40, characters = 3_000 }: MakeTrajectoriesOptions): object[] {
  const made: object[] = [];
  if (random.chance(0.9)) made.push({ from: 'system', value: makeText(random, random.integer(characters)) });
  if (random.chance(0.95)) made.push({ from: 'human', value: `Task ${at}. ${makeText(random, 200)}` });
  // Some rows are so short that nothing may be taken out.
  const length = random.chance(0.1) ? random.integer(6) : 6 + random.integer(turns);
  while (made.length < length) {
    const long = random.chance(0.2) ? characters * 2 : random.chance(0.4) ? 400 : characters / 3;
    const kind = random.next();
    if (kind < 0.08) made.push({ from: 'human', value: makeText(random, random.integer(300)) });
    else if (kind < 0.12) made.push({ from: 'system', value: 'A note on the way.' });
    else {
      made.push({ from: 'gpt', value: makeReply(random, made.length) });
      for (let answers = random.integer(3); answers > 0; answers -= 1)
        made.push({ from: 'tool', value: makeAnswer(random, random.integer(long)) });
    }
  }
  return made;
}

function makeReply(random: Random, at: number): string {
  const call = {
    name: random.pick(['terminal', 'read_file', 'web_search']),
    arguments: { path: `/srv/file-${at}.txt`, limit: at },
  };
  return `<think>\n${makeText(random, random.integer(500))}\n</think>\n<tool_call>\n${formatPythonJson(call)}\n</tool_call>`;
}

const makeAnswer = (random: Random, characters: number): string =>
  `<tool_response>\n${formatPythonJson({ tool_call_id: 'c1', name: 'terminal', content: makeText(random, characters) })}\n</tool_response>`;

function makeText(random: Random, characters: number): string {
  let text = '';
  while (text.length < characters) text += `${random.pick(WORDS)} `;
  return text;
}
