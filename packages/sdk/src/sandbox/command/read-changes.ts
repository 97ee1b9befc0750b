import { SandboxError } from '../sandbox-error.ts';
import type { DiffOptions, FileChange } from '../sandbox.ts';
import { MAX_DIFF_BYTES, MAX_DIFF_FILES } from './sandbox-files.ts';
import type { FileDigest, SandboxFiles } from './sandbox-files.ts';

export interface ReadChangesOptions extends DiffOptions {
  readonly id: string;
  readonly files: Pick<SandboxFiles, 'readDigests' | 'takeFiles'>;
  readonly baseline: ReadonlyMap<string, FileDigest>;
}

/** What differs from the baseline: two commands inside, however many files there are. */
export async function readChanges({ id, files, baseline, except = [] }: ReadChangesOptions): Promise<FileChange[]> {
  const current = await files.readDigests();
  const changed = [...current].filter(([path, { sha256, isExecutable }]) => {
    const before = baseline.get(path);
    return before?.sha256 !== sha256 || before.isExecutable !== isExecutable;
  });
  const isExcepted = (path: string): boolean => except.some((each) => isInside(path, each));
  const wanted = changed.filter(([path]) => !isExcepted(path));
  const bytes = wanted.reduce((sum, [, digest]) => sum + digest.bytes, 0);
  if (wanted.length > MAX_DIFF_FILES || bytes > MAX_DIFF_BYTES) {
    throw new SandboxError({
      kind: 'too-large',
      reason: `The changes in sandbox ${id} are ${wanted.length} files of ${bytes} bytes, and ${MAX_DIFF_FILES} files of ${MAX_DIFF_BYTES} bytes can be compared.`,
      hint: 'Except folders such as node_modules, or read the files you need by name.',
    });
  }
  const contents = await files.takeFiles(wanted.map(([path]) => path));
  const changes: FileChange[] = [];
  for (const [path, { isExecutable }] of changed) {
    const content = contents.get(path);
    const change = baseline.has(path) ? 'modified' : 'added';
    if (content !== undefined) changes.push({ path, change, content, isExecutable });
    else if (isExcepted(path)) changes.push({ path, change, isExecutable });
    // It went away between the two commands.
    else if (baseline.has(path)) changes.push({ path, change: 'removed' });
  }
  for (const path of baseline.keys()) if (!current.has(path)) changes.push({ path, change: 'removed' });
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Whether a path is the folder or in it. */
function isInside(path: string, folder: string): boolean {
  const clean = folder.replace(/\/+$/, '');
  return path === clean || path.startsWith(`${clean}/`);
}
