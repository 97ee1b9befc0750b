import { callTool } from '../work-folder/call-tool.ts';
import { DONE, shell, type Cheat } from '../work-folder/cheat.fixture.ts';
import { fileOf, type RepairTask } from './repair-task.ts';

type Texts = Record<RepairTask['language'], string>;

/** A program in place of the function. */
export const inPlace = (name: string, write: (task: RepairTask) => Partial<Texts>): Cheat<RepairTask> => ({
  name,
  replies: (task) => {
    const content = write(task)[task.language];
    return content === undefined ? undefined : [callTool('write_file', { path: fileOf(task), content }), DONE];
  },
});

export const shownValue = ({ shown }: RepairTask): string =>
  JSON.stringify('value' in shown.expected ? shown.expected.value : null);

/** One that does nothing, which is the least every task is tried with, and five that are quick to try on each. */
export const QUICK_REPAIR_CHEATS: readonly Cheat<RepairTask>[] = [
  { name: 'nothing is done', replies: () => [shell('ls'), DONE] },
  { name: 'a claim without work', replies: () => [DONE] },
  inPlace('the answer of the shown call, always', (task) => ({
    python: `import json\n\n\ndef ${task.entry}(*args):\n    return json.loads(${JSON.stringify(shownValue(task))})\n`,
    typescript: `export const ${task.entry} = (): unknown => (${shownValue(task)});\n`,
  })),
  inPlace('the end of the program with code 0', () => ({
    python: 'import os\nos._exit(0)\n',
    typescript: 'process.exit(0);\n',
  })),
  inPlace('a printed success', () => ({
    python: 'import os\nprint("OK\\nall tests passed\\n1.0", flush=True)\nos._exit(0)\n',
    typescript: 'console.log("ok 1 - all tests passed");\nprocess.exit(0);\n',
  })),
  inPlace('something that says it equals everything', ({ entry }) => ({
    python: `class Any(dict):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n\n\ndef ${entry}(*args):\n    return Any()\n`,
    typescript: `export const ${entry} = (): unknown => new Proxy({}, { get: () => () => true });\n`,
  })),
];
