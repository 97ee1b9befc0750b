import {
  checkEnvironment,
  createRandom,
  defineAgentEnvironment,
  resolveEnvironmentConfig,
} from '@lachesis/sdk/environment';
import { createLocalProvider } from '@lachesis/sdk/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../work-folder/call-tool.ts';
import { rollOutReplies } from '../work-folder/roll-out-replies.fixture.ts';
import { QUICK_TERMINAL_CHEATS } from './cheats.fixture.ts';
import { TERMINAL_TASKS } from './tasks/terminal-tasks-list.ts';
import { makeTerminalTask, terminalTasksSpec, type TerminalItem } from './terminal-tasks.ts';

// What runs here was written here: it needs files and no wall. `pnpm conformance reward-hacking` has the wall.
const sandboxes = createLocalProvider();
const definition = defineAgentEnvironment({ ...terminalTasksSpec, sandboxes });
const opened = definition.open({ config: resolveEnvironmentConfig({ definition }).values.env });
let drawn: Awaited<ReturnType<Awaited<typeof opened>['listEvaluationItems']>>;
beforeAll(async () => {
  drawn = await (await opened).listEvaluationItems();
});
afterAll(async () => {
  await (await opened).close();
  await sandboxes.close();
});

/** Two for each way of checking: `pnpm conformance reward-hacking/honest` has every task, behind walls. */
const FEW_TASKS = [
  ...Map.groupBy(TERMINAL_TASKS, ({ name, make }) => make(createRandom(name, 0)).check.kind).values(),
].flatMap((tasks) => tasks.slice(0, 2));

test.each(FEW_TASKS.map(({ name }) => name))(
  '%s is worth 1 when it is done, and 0 when it is not',
  async (name) => {
    const environment = await opened;
    const item = drawn.find((each) => (each.item as TerminalItem).task === name)!;
    const made = makeTerminalTask(item.item as TerminalItem);
    const solve = [callTool('terminal', { command: made.solution }), 'Done.'];
    expect(await rollOutReplies({ environment, drawn: item, replies: solve })).toMatchObject({ reward: 1 });
    const rewards = await Promise.all(
      QUICK_TERMINAL_CHEATS.map(async (cheat) => {
        const replies = cheat.replies(made);
        const outcome = await rollOutReplies({ environment, drawn: item, replies: replies ?? [] });
        return [cheat.name, outcome];
      }),
    );
    expect(rewards).toEqual(QUICK_TERMINAL_CHEATS.map((cheat) => [cheat.name, { kind: 'scored', reward: 0 }]));
  },
  60_000,
);

test('references do what is asked for another seed too', async () => {
  const items = TERMINAL_TASKS.map(({ name }, at) => ({ task: name, seed: 2_000_000 + at }));
  const other = defineAgentEnvironment({ ...terminalTasksSpec, items: { train: items, evaluation: items }, sandboxes });
  const environment = await other.open({ config: resolveEnvironmentConfig({ definition: other }).values.env });
  const rewards = [];
  for (const each of await environment.listEvaluationItems()) {
    const { solution } = makeTerminalTask(each.item as TerminalItem);
    const replies = [callTool('terminal', { command: solution }), 'Done.'];
    rewards.push({ item: each.item, outcome: await rollOutReplies({ environment, drawn: each, replies }) });
  }
  await environment.close();
  expect(rewards.filter(({ outcome }) => outcome.kind !== 'scored' || outcome.reward !== 1)).toEqual([]);
}, 60_000);

test('each seed makes another folder, and nothing to do in none of them', () => {
  for (const task of TERMINAL_TASKS) {
    const made = Array.from({ length: 40 }, (_, seed) => task.make(createRandom(task.name, seed)));
    expect(new Set(made.map(({ files }) => JSON.stringify(files))).size).toBeGreaterThan(30);
    for (const { check, files } of made) {
      if (check.kind !== 'tree') continue;
      const before = Object.keys(files).filter((path) => path.startsWith(`${check.root}/`));
      const after = Object.entries(check.entries).map(([path, entry]) => [`${check.root}/${path}`, entry] as const);
      const isSame =
        before.length === after.length &&
        after.every(([path, { text, mode, link }]) => {
          const file = files[path];
          if (file === undefined) return false;
          if (typeof file === 'string') return file === text;
          return 'link' in file ? file.link === link : file.text === text && (mode === undefined || file.mode === mode);
        });
      expect(isSame, task.name).toBe(false);
    }
  }
});

test('the checklist passes', async () => {
  const lines = await checkEnvironment({
    definition,
    nextId: () => crypto.randomUUID(),
    now: () => performance.now(),
    signal: new AbortController().signal,
    flags: { env: { group_size: 2 } },
  });
  expect(lines.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
}, 60_000);
