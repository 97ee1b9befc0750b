import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { defineAgentEnvironment } from '../agent/define-agent-environment.ts';
import { createMemorySandboxes } from '../agent/testing/memory-sandboxes.fixture.ts';
import { call } from '../agent/testing/run-agent-group.fixture.ts';
import { defineEnvironment } from '../define-environment.ts';
import type { EnvironmentDefinition, RewardReply } from '../definition.ts';
import { writeScoredData } from '../output/write-scored-data.ts';
import { createScriptedPolicy, type Script } from '../policy/create-scripted-policy.ts';
import { processEnvironment } from '../runner/process-environment.ts';
import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import { countIds, never } from '../testing/toy-environment.fixture.ts';
import { reverifyGroups } from './reverify-groups.ts';
import { textOf } from '../policy/read-completions.ts';

const FLAGS = { env: { group_size: 2, max_token_length: 500, max_num_workers: 1 } };

/** The lines that `env process` writes. */
async function store(definition: EnvironmentDefinition, script: Script, groups: number): Promise<string[]> {
  const { values } = resolveEnvironmentConfig({ definition, flags: FLAGS });
  const environment = await definition.open({ config: values.env });
  const lines: string[] = [];
  await processEnvironment({
    ...{ definition, environment, groups, signal: never },
    policy: createScriptedPolicy(script),
    nextId: countIds(),
    now: () => 0,
    onEvent: () => {},
    writeGroup: async ({ rollouts }) => void lines.push(writeScoredData({ rollouts, temperature: 1 }).trimEnd()),
  });
  await environment.close();
  return lines;
}

const sums = (grade: (answer: number, reply: string) => RewardReply): EnvironmentDefinition =>
  defineEnvironment({
    name: 'sums',
    items: { train: { generate: (index) => ({ index }) }, evaluation: [{ index: -1 }] },
    formatPrompt: ({ index }) => `${index} + 1?`,
    computeReward: ({ index }, { finalResponse }) => grade(index + 1, finalResponse),
  });

// The first sample of each group is right, the second is right with words around it.
const answer: Script = ({ messages }, sample) => {
  const number = Number.parseInt(textOf(messages[0]?.content), 10) + 1;
  return sample === 0 ? String(number) : `It is ${number}.`;
};

const strict = sums((wanted, reply) => (reply === String(wanted) ? 1 : 0));

test('another verifier gives other rewards, and the difference is told', async () => {
  const lines = await store(strict, answer, 3);
  const lenient = sums((wanted, reply) => (reply.includes(String(wanted)) ? 1 : 0));
  const written: string[] = [];
  const report = await reverifyGroups({
    ...{ definition: lenient, lines, flags: FLAGS, signal: never },
    writeLine: async (line) => void written.push(line),
  });
  expect(report).toMatchObject({
    ...{ groups: 3, rollouts: 6, regraded: 6, changed: 3, mean_before: 0.5, mean_after: 1, failed: 0, whole_groups: 3 },
    changes: [{ from: 0, to: 1, rollouts: 3 }],
  });
  // Nothing but the scores is another.
  expect(written).toEqual(lines.map((line) => line.replace('"scores":[1.0,0.0]', '"scores":[1.0,1.0]')));
  expect(await reverifyGroups({ definition: strict, lines, flags: FLAGS, signal: never })).toMatchObject({
    changed: 0,
  });
});

test('what cannot be graded is kept apart, and its group is not written', async () => {
  const lines = await store(strict, answer, 2);
  const broken = sums((wanted, reply) => {
    if (wanted === 1 && reply.startsWith('It')) throw new Error('no judge');
    return 1;
  });
  const foreign = lines[0]!.replaceAll('+ 1?', 'and then?');
  const written: string[] = [];
  const report = await reverifyGroups({
    ...{ definition: broken, lines: [...lines, foreign, 'x', '', '{"scores":[1]}'], flags: FLAGS, signal: never },
    writeLine: async (line) => void written.push(line),
  });
  expect(report).toMatchObject({ groups: 5, regraded: 3, failed: 5, changed: 1, mean_before: 2 / 3, mean_after: 1 });
  expect(report.failures.map(({ reason, rollouts }) => [rollouts, reason])).toEqual([
    [2, expect.stringContaining('has this prompt')],
    [1, 'failed: no judge'],
    [1, 'the line is no JSON'],
    [1, expect.stringContaining('no messages')],
  ]);
  expect(written).toHaveLength(1);
});

test('two tasks with one prompt are told and not guessed', async () => {
  const same = defineEnvironment({
    name: 'same',
    items: { train: [{ answer: 1 }, { answer: 2 }], evaluation: [{ answer: 3 }] },
    formatPrompt: () => 'which?',
    computeReward: () => 1,
  });
  const lines = await store(same, () => '1', 1);
  const report = await reverifyGroups({ definition: same, lines, flags: FLAGS, signal: never });
  expect(report).toMatchObject({
    regraded: 0,
    failed: 2,
    failures: [{ reason: expect.stringContaining('several tasks') }],
  });
});

const note = defineTool({
  name: 'note',
  description: 'writes a note',
  input: z.object({ text: z.string() }),
  execute: async ({ text }, { sandbox }) => {
    await (await sandbox!()).writeFile('note', text);
    return stamp();
  },
});
let stamp = (): string => 'written';

const notes = (wanted: string): EnvironmentDefinition =>
  defineAgentEnvironment({
    name: 'notes',
    sandboxes: createMemorySandboxes(() => ''),
    tools: [note],
    items: { train: [{ word: 'a' }, { word: 'b' }], evaluation: [{ word: 'c' }] },
    formatPrompt: ({ word }) => `note ${word}`,
    computeReward: async ({ word }, _result, context) =>
      (await context.readFile('note')) === wanted.replace('*', word) ? 1 : 0,
  });

test('the calls of an agent run again in a new sandbox, and what they leave is graded', async () => {
  const script: Script = ({ messages }) =>
    messages.length > 1 ? 'done' : call('note', { text: textOf(messages[0]?.content).slice(-1) });
  const lines = await store(notes('*'), script, 2);
  const same = await reverifyGroups({ definition: notes('*'), lines, flags: FLAGS, signal: never });
  expect(same).toMatchObject({ regraded: 4, changed: 0, mean_after: 1, replayed: 4, other_results: 0 });
  stamp = () => 'written at nine';
  const other = await reverifyGroups({ definition: notes('a'), lines, flags: FLAGS, signal: never });
  expect(other).toMatchObject({ regraded: 4, changed: 2, changes: [{ from: 1, to: 0 }], other_results: 4 });
  const shorter = { env: { ...FLAGS.env, max_agent_turns: 1 } };
  const cut = await reverifyGroups({ definition: notes('*'), lines, flags: shorter, signal: never });
  expect(cut).toMatchObject({
    regraded: 0,
    failed: 4,
    failures: [{ reason: expect.stringContaining('1 of 2 stored') }],
  });
});
