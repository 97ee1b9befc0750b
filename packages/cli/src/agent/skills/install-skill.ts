import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestFolder, readSkillState, RECORD_FILE } from './installed-skill.ts';
import type { Skill } from './skill.ts';

export interface InstallSkillOptions {
  skill: Skill;
  /** The folder in which an agent looks for skills. */
  into: string;
  /** Whether one that somebody changed is replaced. */
  replaces: boolean;
}

/** Undefined when one is there that somebody changed, and was left as it is. */
export async function installSkill({ skill, into, replaces }: InstallSkillOptions): Promise<string | undefined> {
  const target = path.join(into, skill.name);
  if (!replaces && (await readSkillState(skill, into)) === 'edited') return undefined;
  await mkdir(into, { recursive: true });
  // Copied beside it and moved: who dies here leaves no half of a skill under its name.
  const half = path.join(into, `.${skill.name}.half`);
  await rm(half, { recursive: true, force: true });
  await cp(skill.folder, half, { recursive: true });
  const record = { version: skill.version, digest: await digestFolder(half) };
  await writeFile(path.join(half, RECORD_FILE), `${JSON.stringify(record)}\n`);
  await rm(target, { recursive: true, force: true });
  await rename(half, target);
  return target;
}
