// Named here, because what is text in this file is not imported by it.
const DOOR = '@lachesis/sdk/environment';
const SCHEMAS = 'zod';

/** What `lachesis env new` writes. Kept as text, because it is for people to edit; a test runs both. */
export function singleTurnTemplate(name: string): string {
  return `import { defineEnvironment, runEnvironment, scored } from '${DOOR}';
import { z } from '${SCHEMAS}';

interface Item {
  question: string;
  answer: string;
}

export const environment = defineEnvironment({
  name: '${name}',
  description: 'Adds two numbers.',

  // Own settings: --env.largest 50. Descriptions become --help.
  config: z.object({ largest: z.int().min(1).default(20).describe('largest number to add') }),

  // Training and evaluation never share an item: even sums here, odd sums there.
  items: {
    train: {
      generate: (_index, { config, random }): Item => makeItem(random.integer(0, config.largest), 0),
    },
    evaluation: {
      count: 20,
      generate: (_index, { config, random }): Item => makeItem(random.integer(0, config.largest), 1),
    },
  },

  formatPrompt: ({ question }) => question,

  // A number from 0 to 1. What you throw becomes failed('verifier'), never a reward of 0.
  computeReward: ({ answer }, { finalResponse }) => scored(finalResponse.trim() === answer ? 1 : 0),

  // \`lachesis env check\` grades both.
  examples: ({ answer }) => ({ right: answer, wrong: 'no idea' }),
});

function makeItem(left: number, parity: 0 | 1): Item {
  const right = left + parity;
  return { question: \`What is \${left} + \${right}? Answer with the number alone.\`, answer: String(left + right) };
}

// node ${name}.ts serve|process|evaluate --env.group_size 8 …
if (import.meta.main) await runEnvironment(environment);
`;
}

export function agentTemplate(name: string): string {
  return `import { defineEnvironment, runEnvironment, scored } from '${DOOR}';

interface Item {
  word: string;
  letters: number;
}

const WORDS = ['loom', 'thread', 'spindle', 'weaver', 'shuttle', 'fabric', 'measure', 'distaff'];
const toItem = (word: string): Item => ({ word, letters: word.length });

export const environment = defineEnvironment({
  name: '${name}',
  description: 'Counts letters with a tool, over several turns.',
  defaults: { max_agent_turns: 4 },
  items: { train: WORDS.slice(2).map(toItem), evaluation: WORDS.slice(0, 2).map(toItem) },

  tools: [
    {
      type: 'function',
      function: {
        name: 'count_letters',
        description: 'Counts the letters of a word.',
        parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
      },
    },
  ],

  formatPrompt: ({ word }) => \`How many letters has "\${word}"? Use the tool, then answer with the number alone.\`,

  // What comes after a reply: answers to its tool calls, or nothing, which ends the rollout.
  turns: (_item, { reply }) =>
    reply.tool_calls?.map((call) => {
      const word = readWord(call.function.arguments);
      return word === undefined
        ? { role: 'tool', tool_call_id: call.id ?? '', content: 'no word was given', is_error: true }
        : { role: 'tool', tool_call_id: call.id ?? '', content: String(word.length) };
    }),

  computeReward: ({ letters }, { finalResponse, toolsUsed }) => {
    const correct = finalResponse.trim() === String(letters) ? 1 : 0;
    const used = toolsUsed.includes('count_letters') ? 1 : 0;
    return scored(0.8 * correct + 0.2 * used, { correct, used });
  },

  examples: ({ letters }) => ({ right: String(letters), wrong: 'many' }),
});

function readWord(text: unknown): string | undefined {
  try {
    const { word } = JSON.parse(String(text)) as { word?: unknown };
    return typeof word === 'string' ? word : undefined;
  } catch {
    // The model wrote no JSON: it is told so.
    return undefined;
  }
}

// node ${name}.ts serve|process|evaluate --env.group_size 8 …
if (import.meta.main) await runEnvironment(environment);
`;
}
