// Named here, because what is text in this file is not imported by it.
const DOOR = '@lachesis/sdk/environment';
const SCHEMAS = 'zod';

/**
 * The source of a new environment with one reply per item, as `lachesis env new` writes it. Kept as text, because it
 * is for people to edit; a test runs both.
 */
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

/** The source of a new environment whose model uses tools in a sandbox, as `lachesis env new` writes it. */
export function agentTemplate(name: string): string {
  return `import { defineAgentEnvironment, runEnvironment, scored } from '${DOOR}';
import { z } from '${SCHEMAS}';

interface Item {
  file: string;
  lines: number;
}

const FILES = ['loom.txt', 'thread.txt', 'spindle.txt', 'weaver.txt', 'shuttle.txt', 'fabric.txt', 'warp.txt', 'weft.txt'];
const toItem = (file: string, index: number): Item => ({ file, lines: 3 + index });

export const environment = defineAgentEnvironment({
  name: '${name}',
  description: 'Counts the lines of a file with a shell, and writes the number to another file.',

  // Own settings: --env.word yarn. Descriptions become --help.
  config: z.object({ word: z.string().default('yarn').describe('what stands on each line') }),
  defaults: { max_agent_turns: 6 },

  // Tools that work in the sandbox of the rollout; --env.enabled_toolsets decides.
  defaultToolsets: ['terminal', 'file'],

  // Training and evaluation never share an item.
  items: { train: FILES.slice(2).map(toItem), evaluation: FILES.slice(0, 2).map(toItem) },

  // Puts the task into its sandbox, before the agent is let in.
  prepare: async ({ file, lines }, sandbox, { config }) => {
    await sandbox.writeFile(file, \`\${config.word}\\n\`.repeat(lines));
  },

  formatPrompt: ({ file }) =>
    \`How many lines has the file \${file}? Write the number alone to answer-\${file}, then say that you are done.\`,

  // The agent may have changed anything where it worked, so the answer is taken to a sandbox it never saw and looked at there.
  computeReward: async ({ file, lines }, { toolsUsed, toolErrors }, context) => {
    const { graded } = await context.gradeInCleanSandbox({
      files: [\`answer-\${file}\`],
      grade: async (clean) => (await clean.exec(['cat', \`answer-\${file}\`])).stdout.trim(),
    });
    const correct = graded === String(lines) ? 1 : 0;
    return scored(correct, { correct, tools: toolsUsed.length, errors: toolErrors.length });
  },

  // \`lachesis env check\` plays both through the loop, without a model.
  examples: ({ file }) => ({
    right: [callTerminal(\`wc -l < \${file} > answer-\${file}\`), 'Done.'],
    wrong: [callTerminal(\`echo 1 > answer-\${file}\`), 'Done.'],
  }),
});

function callTerminal(command: string) {
  const call = { id: 'call_1', type: 'function', function: { name: 'terminal', arguments: JSON.stringify({ command }) } };
  return { text: '', toolCalls: [call] };
}

// node ${name}.ts serve|process|evaluate --env.group_size 8 …
if (import.meta.main) await runEnvironment(environment);
`;
}
