import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A guide for one kind of task, as a folder with a SKILL.md in it. */
export interface Skill {
  name: string;
  /** What it is for and when to take it. */
  description: string;
  folder: string;
}

export interface SkillOptions {
  /** Where the folders are; default those that come with the command. */
  folder?: string | undefined;
}

/** Beside `src` and `dist`, so that it is found from both. */
const SHIPPED = fileURLToPath(new URL('../../../skills/', import.meta.url));

export const SKILL_FILE = 'SKILL.md';

/** All of them, by name. */
export async function listSkills({ folder = SHIPPED }: SkillOptions = {}): Promise<Skill[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const skills = names.sort().map(async (name) => {
    const home = path.join(folder, name);
    const { description } = readHeader(await readFile(path.join(home, SKILL_FILE), 'utf8'));
    return { name, description: description ?? '', folder: home };
  });
  return Promise.all(skills);
}

/** The guide without its header; undefined when there is no such skill. */
export async function readSkill(
  name: string,
  options: SkillOptions = {},
): Promise<(Skill & { text: string }) | undefined> {
  // Found in the list and not by its path, so that a name cannot lead elsewhere.
  const skill = (await listSkills(options)).find((each) => each.name === name);
  if (skill === undefined) return undefined;
  const text = await readFile(path.join(skill.folder, SKILL_FILE), 'utf8');
  return { ...skill, text: text.replace(HEADER, '').trimStart() };
}

const HEADER = /^---\n([\s\S]*?)\n---\n/;

/** The plain lines of the header; what is nested in it is for others. */
export function readHeader(text: string): Record<string, string> {
  const lines = HEADER.exec(text)?.[1]?.split('\n') ?? [];
  return Object.fromEntries(
    lines.flatMap((line) => {
      const found = /^([a-z-]+): +(.+)$/.exec(line);
      return found === null ? [] : [[found[1]!, found[2]!]];
    }),
  );
}

/** The guides for whoever shows them to an agent. */
export function createSkillSource(options: SkillOptions = {}): {
  list(): Promise<{ name: string; description: string }[]>;
  read(name: string): Promise<string | undefined>;
} {
  return {
    list: async () => (await listSkills(options)).map(({ name, description }) => ({ name, description })),
    read: async (name) => (await readSkill(name, options))?.text,
  };
}
