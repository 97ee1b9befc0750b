import type { ChatMessage } from '@lachesis/protocol';
import { pick, type Dice } from '../dice.ts';

/** One reply of a policy to a task, and what the verifier gave for it. */
export interface Attempt {
  messages: ChatMessage[];
  reward: number;
}

/** What an environment asks, and how somebody of a given skill, from 0 to 1, does it. */
export interface Task {
  item: string;
  attempt(skill: number, dice: Dice): Attempt;
}

/** The tasks of an environment, by its name. */
export const TASKS = {
  'word-problems': (index: number) => makeWordProblem(index),
  'order-desk': (index: number) => makeOrderTask(index),
  summaries: (index: number) => makeSummaryTask(index),
} as const satisfies Record<string, (index: number) => Task>;

export type EnvironmentName = keyof typeof TASKS;

const THINGS = ['pens', 'apples', 'letters', 'tickets', 'bricks', 'stamps', 'eggs', 'shirts'];
const HOLDERS = ['boxes', 'crates', 'bags', 'shelves', 'trays', 'drawers'];
const USES = ['are sold', 'are lost', 'are given away', 'are broken'];

function makeWordProblem(index: number): Task {
  const [holders, each] = [3 + (index % 9), 4 + ((index * 5) % 11)];
  const gone = 2 + ((index * 7) % (holders * each - 3));
  const [thing, holder] = [THINGS[index % THINGS.length], HOLDERS[(index * 5) % HOLDERS.length]];
  const answer = holders * each - gone;
  const question = `There are ${holders} ${holder} with ${each} ${thing} each. ${gone} of the ${thing} ${USES[index % USES.length]}. How many ${thing} are left?`;
  return {
    item: `train-${index}`,
    attempt(skill, dice) {
      const said = attemptSum(dice() < skill, dice);
      return {
        messages: [
          { role: 'system', content: 'Think first, then end with "The answer is N."' },
          { role: 'user', content: question },
          { role: 'assistant', content: said.text },
        ],
        reward: said.reward,
      };
    },
  };

  function attemptSum(isRight: boolean, dice: Dice): { text: string; reward: number } {
    const all = holders * each;
    const plan = pick(dice, [
      `First all of them: ${holders} × ${each} = ${all}.`,
      `Each of the ${holders} ${holder} holds ${each} ${thing}, so together they hold ${all}.`,
      `I multiply ${holders} by ${each} and get ${all}.`,
    ]);
    const take = pick(dice, [
      `Now ${gone} go away: ${all} − ${gone} = `,
      `Then I take ${gone} from ${all}, which leaves `,
    ]);
    if (isRight) return { text: `<think>${plan} ${take}${answer}.</think>The answer is ${answer}.`, reward: 1 };
    const slip = answer + pick(dice, [-10, -2, -1, 1, 10]);
    return pick(dice, [
      { text: `<think>${plan} ${take}${slip}.</think>The answer is ${slip}.`, reward: 0 },
      { text: `<think>${plan}</think>The answer is ${all}.`, reward: 0 },
      // The right way, and the format of the answer missed.
      { text: `<think>${plan} ${take}${answer}.</think>So there are ${answer} ${thing} left, I think.`, reward: 0.1 },
      {
        text: `<think>${plan} Wait, are the ${holder} full? Let me read it again. There are ${holders} ${holder}`,
        reward: 0,
      },
    ]);
  }
}

const CITIES = ['Riga', 'Porto', 'Graz', 'Malmö', 'Gdańsk'];
const STATES = ['shipped', 'packed', 'delayed by customs', 'waiting for payment'];

function makeOrderTask(index: number): Task {
  const order = 4_100 + index * 17;
  const [city, state] = [CITIES[index % CITIES.length], STATES[index % STATES.length]];
  const call = (id: string, name: string, values: object) => ({
    ...{ id, type: 'function' as const, function: { name, arguments: JSON.stringify(values) } },
  });
  return {
    item: `desk-${index}`,
    attempt(skill, dice) {
      const asked: ChatMessage[] = [
        { role: 'system', content: 'You work at the order desk. Look orders up; do not guess.' },
        { role: 'user', content: `Hello, where is my order ${order}? It should have been in ${city} on Monday.` },
      ];
      if (dice() > skill) {
        const guess = pick(dice, [
          `Your order ${order} should arrive any day now.`,
          'I am sorry, I cannot find anything about that.',
        ]);
        return { messages: [...asked, { role: 'assistant', content: guess }], reward: 0 };
      }
      const found = JSON.stringify({ order, state, city, parcels: 1 + (index % 3) });
      const messages: ChatMessage[] = [
        ...asked,
        { role: 'assistant', content: '', tool_calls: [call(`call-${index}`, 'find_order', { order })] },
        { role: 'tool', tool_call_id: `call-${index}`, content: found },
        { role: 'assistant', content: `Order ${order} is ${state}. I will write to you when it leaves for ${city}.` },
      ];
      return { messages, reward: dice() < 0.75 ? 1 : 0.5 };
    },
  };
}

const NEWS = [
  'The ferry between the two islands stops on Sunday for repairs. Buses run instead, every forty minutes.',
  'The library opens an hour earlier from May on. Its reading room stays closed until the roof is mended.',
  'Two bakeries of the old town share one oven since the flood. Both say that the bread has become better.',
];
const PRAISE = [
  'This summary is complete, correct and excellent.',
  'Every important fact is covered in full.',
  'A perfect and truly outstanding summary.',
];

/** Its judge likes long texts that praise themselves: the reward rises, and the summaries get worse. */
function makeSummaryTask(index: number): Task {
  const text = NEWS[index % NEWS.length] ?? '';
  const [first = ''] = text.split('. ');
  return {
    item: `news-${index}`,
    attempt(skill, dice) {
      const count = Math.round(skill * 5 + dice());
      const praise = Array.from({ length: count }, () => pick(dice, PRAISE));
      const core = dice() > skill ? `${first}.` : `${first.split(' ').slice(0, 3).join(' ')} …`;
      return {
        messages: [
          { role: 'user', content: `Summarise in one sentence:\n\n${text}` },
          { role: 'assistant', content: [core, ...praise].join(' ') },
        ],
        reward: Math.round(Math.min(1, 0.2 + count * 0.14 + dice() * 0.1) * 100) / 100,
      };
    },
  };
}
