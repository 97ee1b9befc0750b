import type { AgentContext } from '@lachesis/sdk/environment';
import { writeFiles } from '../work-folder/write-files.ts';
import { takeSnapshot, type Snapshot, type SnapshotEntry } from '../work-folder/take-snapshot.ts';
import type { ExpectedEntry, ProgramRun, TerminalCheck } from './terminal-task.ts';

/** A script for a few small files takes milliseconds; a busy machine must not cost an honest one its reward. */
const SCRIPT_MS = 30_000;

/** Whether the task is done. What the agent left is read as data and compared here; a script runs where the agent never was. */
export async function checkWork(
  check: TerminalCheck,
  context: Pick<AgentContext, 'sandbox' | 'gradeInCleanSandbox' | 'signal'>,
): Promise<boolean> {
  const read = async (paths: readonly string[]): Promise<Snapshot | undefined> =>
    takeSnapshot(await context.sandbox(), paths);
  if (check.kind === 'files') {
    const snapshot = await read(Object.keys(check.files));
    return Object.entries(check.files).every(([path, text]) => isText(snapshot?.get(path), text));
  }
  if (check.kind === 'tree') {
    const snapshot = await read([check.root]);
    return snapshot !== undefined && isTree(snapshot, check.root, check.entries);
  }
  const script = (await read([check.script]))?.get(check.script);
  if (script?.text === undefined || script.text.includes('\0')) return false;
  const { text } = script;
  const { graded } = await context.gradeInCleanSandbox({
    files: [],
    grade: async (clean) => {
      for (const [at, run] of check.runs.entries()) {
        // In a folder of its own, so that nothing of the task or of the run before is counted along.
        const folder = `run-${at}`;
        const laid = Object.entries({ ...run.files, [check.script]: text });
        await writeFiles(clean, Object.fromEntries(laid.map(([path, file]) => [`${folder}/${path}`, file])));
        const words = ['sh', '-c', 'cd "$1" && shift && exec sh "$@"', 'sh', folder, check.script, ...run.words];
        const { end, exitCode, stdout } = await clean.exec(words, { timeoutMs: SCRIPT_MS, signal: context.signal });
        if (end !== 'exited' || exitCode !== 0 || !isPrinted(stdout, run)) return false;
      }
      return true;
    },
  });
  return graded === true;
}

const isPrinted = (stdout: string, { prints }: ProgramRun): boolean => stdout.trimEnd() === prints.trimEnd();

const isText = (entry: SnapshotEntry | undefined, text: string): boolean =>
  entry?.kind === 'file' && entry.text?.trimEnd() === text.trimEnd();

function isTree(snapshot: Snapshot, root: string, expected: Readonly<Record<string, ExpectedEntry>>): boolean {
  const found = [...snapshot].filter(([path, { kind }]) => path.startsWith(`${root}/`) && kind !== 'folder');
  if (found.length !== Object.keys(expected).length) return false;
  return Object.entries(expected).every(([path, { text, mode, link }]) => {
    const entry = snapshot.get(`${root}/${path}`);
    if (link !== undefined) return entry?.kind === 'link' && entry.target?.replace(/^\.\/|\/$/g, '') === link;
    return entry?.kind === 'file' && entry.text === text && (mode === undefined || entry.mode === mode);
  });
}
