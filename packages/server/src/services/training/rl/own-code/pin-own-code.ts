import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ModelScope } from '../../../models/find-start.ts';
import { TrainerError } from '../../trainer-error.ts';
import { hasLearned } from '../has-learned.ts';
import type { CodeFile } from './own-code.ts';

/**
 * Keeps what a run learns by: `own-code.json` in its folder says file and digest, and beside it lies a copy of each. A file that has
 * changed since the run learned by it is refused; one that the recipe names instead of another is noted behind it.
 */
export async function pinOwnCode(
  options: ModelScope & { run: string; directory: string; files: readonly CodeFile[] },
): Promise<void> {
  const { directory, files, run } = options;
  const record = join(directory, 'own-code.json');
  const pinned = await readPins(record);
  const isKnown = ({ key, file, sha256 }: CodeFile): boolean => {
    const last = pinned.findLast((each) => each.key === key);
    return last?.file === file && last.sha256 === sha256;
  };
  const added = files.filter((file) => !isKnown(file));
  if (added.length === 0) return;
  const learned = await hasLearned(options);
  for (const { key, file, sha256 } of added) {
    const before = pinned.findLast((each) => each.key === key && each.file === file);
    if (before === undefined || before.sha256 === sha256 || !learned) continue;
    throw new TrainerError({
      kind: 'settings',
      message:
        `The run ${run} learned by ${file} as it was (sha256 ${short(before.sha256)}), and the file has changed (${short(sha256)}). ` +
        `Put it back (${nameCopy(directory, before)} is a copy), or go on with these weights in another run: lachesis train --from ${run}:<step>.`,
    });
  }
  await mkdir(join(directory, 'own-code'), { recursive: true });
  for (const file of added) await copyFile(file.file, nameCopy(directory, file));
  // If we die before the second line, the same is noted by the next process: nothing has been learnt by it.
  await writeFile(`${record}.next`, `${JSON.stringify([...pinned, ...added], undefined, 2)}\n`);
  await rename(`${record}.next`, record);
}

const short = (sha256: string): string => sha256.slice(0, 12);

const nameCopy = (directory: string, { file, sha256 }: CodeFile): string =>
  join(directory, 'own-code', `${short(sha256)}-${basename(file)}`);

async function readPins(record: string): Promise<CodeFile[]> {
  const text = await readFile(record, 'utf8').catch(() => '[]');
  return JSON.parse(text) as CodeFile[];
}
