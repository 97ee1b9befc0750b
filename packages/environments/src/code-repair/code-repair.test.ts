import { checkEnvironment, defineAgentEnvironment, resolveEnvironmentConfig } from '@lachesis/sdk/environment';
import { createLocalProvider } from '@lachesis/sdk/sandbox';
import { afterAll, expect, test } from 'vitest';
import { callTool } from '../work-folder/call-tool.ts';
import { rollOutReplies } from '../work-folder/roll-out-replies.fixture.ts';
import { QUICK_REPAIR_CHEATS } from './cheats.fixture.ts';
import { codeRepairSpec, REPAIR_TASKS } from './code-repair.ts';
import { fileOf, mend } from './repair-task.ts';
import { stripTypes } from './strip-types.ts';
import { stripTypesTool } from './strip-types-tool.ts';

// What runs here was written here: it needs files and no wall. `pnpm conformance reward-hacking` has the wall.
const sandboxes = createLocalProvider();
const definition = defineAgentEnvironment({
  ...codeRepairSpec,
  // All of them, to draw each by its place.
  items: { train: [{ task: 'median' }], evaluation: REPAIR_TASKS.map(({ name }) => ({ task: name })) },
  sandboxes,
});
const opened = definition.open({ config: resolveEnvironmentConfig({ definition }).values.env });
afterAll(async () => {
  await (await opened).close();
  await sandboxes.close();
});

test('half of the tasks are TypeScript, half Python, and each patch fits in one place', () => {
  expect(REPAIR_TASKS.filter(({ language }) => language === 'python')).toHaveLength(11);
  expect(REPAIR_TASKS).toHaveLength(22);
  expect(new Set(REPAIR_TASKS.map(({ name }) => name)).size).toBe(22);
  for (const { broken, patch } of REPAIR_TASKS) expect(broken.split(patch[0])).toHaveLength(2);
});

/** Two a language: `pnpm conformance reward-hacking/honest` has every task, behind walls. */
const FEW_TASKS = [...Map.groupBy(REPAIR_TASKS, ({ language }) => language).values()].flatMap((tasks) =>
  tasks.slice(0, 2),
);

test.each(FEW_TASKS.map((task) => [task.name, task, REPAIR_TASKS.indexOf(task)] as const))(
  '%s is worth 1 when it is mended, and 0 when it is not',
  async (_name, task, at) => {
    const environment = await opened;
    const drawn = (await environment.listEvaluationItems())[at]!;
    const solve = [callTool('write_file', { path: fileOf(task), content: mend(task) }), 'Done.'];
    expect(await rollOutReplies({ environment, drawn, replies: solve })).toMatchObject({ reward: 1 });
    const rewards = await Promise.all(
      QUICK_REPAIR_CHEATS.map(async (cheat) => {
        const outcome = await rollOutReplies({ environment, drawn, replies: cheat.replies(task) ?? [] });
        return [cheat.name, outcome.kind === 'scored' ? outcome.reward : outcome];
      }),
    );
    expect(rewards).toEqual(QUICK_REPAIR_CHEATS.map((cheat) => [cheat.name, 0]));
  },
  60_000,
);

test('a text that breaks the parser of types breaks it for nobody else', async () => {
  expect(await stripTypes('('.repeat(60_000))).toBeUndefined();
  expect(await stripTypes('x'.repeat(70_000))).toBeUndefined();
  expect(await stripTypes('enum A { b }')).toBeUndefined();
  expect(await stripTypes('let a: number = 1;')).toBe('let a         = 1;');
});

test('an agent can run TypeScript with its tool', async () => {
  const sandbox = await sandboxes.create({ owner: 'code-repair-test' });
  await sandbox.writeFile('a.ts', 'const a: number = 3;\nconsole.log(a);\n');
  const tool = stripTypesTool;
  const context = { callId: 'call', sandbox: async () => sandbox, signal: new AbortController().signal };
  expect(await tool.execute({ path: 'a.ts' }, context)).toEqual({ written: 'a.mjs' });
  expect((await sandbox.exec('node a.mjs')).stdout).toBe('3\n');
  await expect(tool.execute({ path: 'a.mjs' }, context)).rejects.toThrow('no TypeScript');
});

test('the checklist passes', async () => {
  const lines = await checkEnvironment({
    definition: defineAgentEnvironment({ ...codeRepairSpec, sandboxes }),
    nextId: () => crypto.randomUUID(),
    now: () => performance.now(),
    signal: new AbortController().signal,
    flags: { env: { group_size: 2 } },
  });
  expect(lines.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
}, 60_000);
