import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Skill } from './skill.ts';

/** What is in the folder of an installed guide, compared with what comes with the command. */
export type SkillState =
  /** As it comes with the command. */
  | 'current'
  /** As it was installed, and the command has another. */
  | 'outdated'
  /** Changed since it was installed, or not put there by this command. */
  | 'edited'
  | 'absent';

/** Beside the guide: how it was when it was installed. */
export const RECORD_FILE = '.installed-by-lachesis.json';

/** Says whether somebody changed it: such a one is not replaced unasked. */
export async function readSkillState(skill: Skill, into: string): Promise<SkillState> {
  const found = await digestFolder(path.join(into, skill.name));
  if (found === undefined) return 'absent';
  if (found === (await digestFolder(skill.folder))) return 'current';
  const text = await readFile(path.join(into, skill.name, RECORD_FILE), 'utf8').catch(() => '{}');
  return readDigest(text) === found ? 'outdated' : 'edited';
}

function readDigest(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { digest?: string }).digest;
  } catch {
    // Somebody wrote into it: then nobody knows, and what is there is theirs.
    return undefined;
  }
}

/** One value for all files of a folder, our own record left out; undefined when there is no such folder. */
export async function digestFolder(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (entries === undefined) return undefined;
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const name = path.relative(folder, file);
    if (name === RECORD_FILE) continue;
    hash
      .update(`${name}\0`)
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex');
}
