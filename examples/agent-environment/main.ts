/**
 * An environment in which a model works with a shell. It is defined, and then checked without a model: its examples run
 * in real sandboxes, the right one must earn 1 and the wrong one 0. Needs Linux and bubblewrap.
 */
import { checkEnvironment, defineAgentEnvironment, scored } from '@lachesis/sdk/environment';

const environment = defineAgentEnvironment({
  name: 'count-lines',
  defaultToolsets: ['terminal'],
  items: { train: [{ file: 'a.txt', lines: 3 }], evaluation: [{ file: 'b.txt', lines: 5 }] },
  prepare: async ({ file, lines }, sandbox) => sandbox.writeFile(file, 'yarn\n'.repeat(lines)),
  formatPrompt: ({ file }) => `Count the lines of ${file} and write the number to the file answer.`,
  computeReward: async ({ lines }, _result, context) => {
    // Where the agent worked it may have changed anything; the file it left is looked at in a clean sandbox.
    const { graded } = await context.gradeInCleanSandbox({
      files: ['answer'],
      grade: async (clean) => (await clean.exec('cat answer')).stdout.trim(),
    });
    return scored(graded === String(lines) ? 1 : 0);
  },
  examples: ({ file, lines }) => ({
    right: [callTerminal(`wc -l < ${file} > answer`), 'Done.'],
    wrong: [callTerminal(`echo ${lines + 1} > answer`), 'Done.'],
  }),
});

function callTerminal(command: string): string {
  return `<tool_call>\n${JSON.stringify({ name: 'terminal', arguments: { command } })}\n</tool_call>`;
}

const lines = await checkEnvironment({
  definition: environment,
  flags: { env: { group_size: 2 } },
  nextId: () => crypto.randomUUID(),
  now: Date.now,
  signal: AbortSignal.timeout(120_000),
  onLine: ({ name, verdict, detail }) => console.log(`${verdict.padEnd(6)}${name}: ${detail}`),
});
if (lines.some(({ verdict }) => verdict === 'wrong')) process.exitCode = 1;
