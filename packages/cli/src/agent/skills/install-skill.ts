import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Skill } from './skill.ts';

export interface InstallSkillOptions {
  skill: Skill;
  /** The folder in which an agent looks for skills. */
  into: string;
  /** Whether one that is there is replaced. */
  replaces: boolean;
}

/** Undefined when one is there already and was left as it is. */
export async function installSkill({ skill, into, replaces }: InstallSkillOptions): Promise<string | undefined> {
  const target = path.join(into, skill.name);
  const isThere = await stat(target).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (isThere && !replaces) return undefined;
  await mkdir(into, { recursive: true });
  // Copied beside it and moved: who dies here leaves no half of a skill under its name.
  const half = path.join(into, `.${skill.name}.half`);
  await rm(half, { recursive: true, force: true });
  await cp(skill.folder, half, { recursive: true });
  await rm(target, { recursive: true, force: true });
  await rename(half, target);
  return target;
}
