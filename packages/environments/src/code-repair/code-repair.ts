import { cutGitHistory, defineAgentEnvironment, runEnvironment, scored } from '@lachesis/sdk/environment';
import type { Sandbox } from '@lachesis/sdk/sandbox';
import { callTool } from '../work-folder/call-tool.ts';
import { writeFiles } from '../work-folder/write-files.ts';
import { takeSnapshot } from '../work-folder/take-snapshot.ts';
import type { TaskSpec } from '../work-folder/task-spec.ts';
import { fileOf, mend, type RepairCase, type RepairTask } from './repair-task.ts';
import { buildProgram, runCases } from './run-cases.ts';
import { stripTypesTool } from './strip-types-tool.ts';
import { PYTHON_TASKS } from './tasks/python-tasks.ts';
import { TYPESCRIPT_TASKS } from './tasks/typescript-tasks.ts';

export const REPAIR_TASKS: readonly RepairTask[] = [...TYPESCRIPT_TASKS, ...PYTHON_TASKS];

export interface RepairItem {
  readonly task: string;
}

export function findRepairTask({ task: wanted }: RepairItem): RepairTask {
  const task = REPAIR_TASKS.find(({ name }) => name === wanted);
  if (task === undefined) throw new Error(`there is no task ${wanted}`);
  return task;
}

/** Every fourth is held out; both languages are in both. */
const isHeldOut = (_task: RepairTask, at: number): boolean => at % 4 === 2;

/** Makes the repository as it was: the fix is a later commit. */
export async function writeRepository(task: RepairTask, sandbox: Sandbox): Promise<void> {
  await writeFiles(sandbox, { [fileOf(task)]: mend(task) }, { needs: ['git'] });
  const git = 'git -c user.name=task -c user.email=task@localhost';
  await sandbox.exec(`${git} init -q . && ${git} add . && ${git} commit -qm "mend ${task.entry}"`);
  await writeFiles(sandbox, { [fileOf(task)]: task.broken });
}

/** Apart from the environment, so that a test can take out one part of it and see what happens. */
export const codeRepairSpec: TaskSpec<RepairItem> = {
  name: 'code-repair',
  description: 'Mend a small TypeScript or Python function; calls that the agent never saw decide.',
  defaults: { max_agent_turns: 16, terminal_timeout: 30 },
  defaultToolsets: ['terminal', 'file'],
  tools: (item) => (findRepairTask(item).language === 'typescript' ? [stripTypesTool] : []),
  items: {
    train: REPAIR_TASKS.filter((task, at) => !isHeldOut(task, at)).map(({ name }) => ({ task: name })),
    evaluation: REPAIR_TASKS.filter(isHeldOut).map(({ name }) => ({ task: name })),
  },
  prepare: async (item, sandbox) => {
    const task = findRepairTask(item);
    const needs = [task.language === 'python' ? 'python3' : 'node'];
    if (task.isRepository !== true) return writeFiles(sandbox, { [fileOf(task)]: task.broken }, { needs });
    await writeRepository(task, sandbox);
    await cutGitHistory(sandbox);
  },
  formatPrompt: (item) => {
    const task = findRepairTask(item);
    const run = task.language === 'typescript' ? ' The tool strip_types makes JavaScript of it that node can run.' : '';
    return (
      `There is a bug in ${fileOf(task)}, in the folder /work: ${task.report}\n` +
      `${describeCase(task.entry, task.shown)}\n\n` +
      `Mend the function ${task.entry} in that file; it is called with other arguments too. No other file counts.${run}`
    );
  },
  computeReward: async (item, _result, context) => {
    if (!context.hasSandbox) return scored(0);
    const task = findRepairTask(item);
    // Read once, as data, and a plain file: what the agent's processes do afterwards does not count.
    const text = (await takeSnapshot(await context.sandbox(), [fileOf(task)]))?.get(fileOf(task))?.text;
    const program = text === undefined || text === task.broken ? undefined : await buildProgram(task, text);
    if (program === undefined) return scored(0);
    const cases = [task.shown, ...task.hidden];
    const { graded = 0 } = await context.gradeInCleanSandbox({
      files: [],
      grade: (clean) => runCases(clean, program, cases, context.signal),
    });
    return scored(graded === cases.length ? 1 : 0, { cases_passed: graded / cases.length });
  },
  examples: (item) => {
    const task = findRepairTask(item);
    const write = (content: string) => callTool('write_file', { path: fileOf(task), content });
    return { right: [write(mend(task)), 'Done.'], wrong: [write(`${task.broken}\n`), 'Done.'] };
  },
};

function describeCase(entry: string, { args, expected }: RepairCase): string {
  const call = `${entry}(${args.map((value) => JSON.stringify(value)).join(', ')})`;
  return 'value' in expected
    ? `${call} should give ${JSON.stringify(expected.value)}.`
    : `${call} should throw ${expected.throws}.`;
}

/** An agent environment: repair a small program in a sandbox until its hidden tests pass. */
const codeRepair = defineAgentEnvironment(codeRepairSpec);

export default codeRepair;

if (import.meta.main) await runEnvironment(codeRepair);
