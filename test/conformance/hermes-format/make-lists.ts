import type { ChatMessage } from '@lachesis/protocol';
import { type Random, createRandom } from '../render/random.ts';
import { ARGUMENTS, RESULTS, TEXTS } from './texts.ts';

export interface MessageList {
  readonly id: string;
  readonly query: string;
  readonly completed: boolean;
  readonly messages: readonly ChatMessage[];
}

/** Lists of messages as Hermes keeps them, with what a scripted conversation does not bring about. */
export function makeLists(count: number, seed: number): MessageList[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_unused, at) => {
    const query = random.pick(TEXTS);
    const messages: ChatMessage[] = [{ role: 'user', content: query }];
    for (let turn = random.integer(4); turn >= 0; turn -= 1) messages.push(...makeTurn(random, `${at}_${turn}`));
    return { id: `l${at}`, query, completed: random.chance(0.8), messages };
  });
}

function makeTurn(random: Random, name: string): ChatMessage[] {
  const kind = random.integer(6);
  if (kind === 0) return [{ role: 'user', content: random.pick(TEXTS) }];
  if (kind === 1)
    return [
      {
        role: 'user',
        content: [
          { type: 'text', text: random.pick(TEXTS) },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
    ];
  if (kind === 2) return [{ role: 'system', content: 'a note on the way' }];
  if (kind === 3)
    return [{ role: 'assistant', content: random.pick([...ODD, ...TEXTS, ...RESULTS]), ...think(random) }];
  const calls = random.list(1 + random.integer(3), (place) => ({
    id: `call_${name}_${place}`,
    type: 'function',
    function: {
      name: random.pick(['say_back', 'measure', 'wörter']),
      arguments: random.chance(0.15)
        ? random.pick(['', '{bad', 'null', '[1.0]', '"text"'])
        : `{${random.pick(ARGUMENTS)}}`,
    },
  }));
  const answered = random.chance(0.8) ? calls : calls.slice(0, 1);
  return [
    { role: 'assistant', content: random.pick([null, ...ODD, ...TEXTS]), ...think(random), tool_calls: calls },
    ...answered.map(({ id }): ChatMessage => ({ role: 'tool', content: random.pick(RESULTS), tool_call_id: id })),
  ];
}

/** Thinking that the model wrote into its text. */
const ODD: readonly string[] = [
  '<REASONING_SCRATCHPAD>\nstep by step\n</REASONING_SCRATCHPAD>\nDone.',
  '<think>inline</think> answer',
  '<think>\nown block\n</think>\nanswer',
  '   ',
  '',
  '\u0085\u001c spaces of Python \u001f\u0085',
];

const think = (random: Random): { reasoning?: string } =>
  random.chance(0.5) ? { reasoning: random.pick(['because', '  ', 'two\nlines', '\u00a0spaces\u00a0', 'ünï 😀']) } : {};
