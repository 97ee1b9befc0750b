import { isCodeFile, type TrainerSection } from '@lachesis/protocol';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { TrainerError } from '../../trainer-error.ts';
import { CODE_KEYS, type CodeFile, type CodeKey } from './own-code.ts';

/** The files that a recipe names for loss and advantage, with their digests. None of them is run. */
export async function readCodeFiles(section: Pick<TrainerSection, CodeKey>): Promise<CodeFile[]> {
  const found: CodeFile[] = [];
  for (const key of CODE_KEYS) {
    const file = section[key];
    if (typeof file !== 'string' || !isCodeFile(file)) continue;
    const bytes = await readFile(file).catch((cause: unknown) => {
      const message = `tinker.${key} names ${file}, and there is no such file. In a recipe a path counts from the folder of the recipe.`;
      throw new TrainerError({ kind: 'settings', message, cause });
    });
    found.push({ key, file, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  return found;
}
