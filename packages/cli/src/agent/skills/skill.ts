import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A guide for one kind of task, as a folder with a SKILL.md in it. */
export interface Skill {
  name: string;
  /** The folder it is in, such as `training`. */
  category: string;
  /** What it is for and when to take it. */
  description: string;
  version: string;
  /** What it cannot be followed without: `gpu`, `account`. */
  needs: readonly string[];
  checked: readonly CheckedVersion[];
  folder: string;
}

/** A program that a guide was held against. */
export interface CheckedVersion {
  registry: string;
  name: string;
  version: string;
  /** When, as a date. */
  on: string;
}

export interface SkillOptions {
  /** Where the categories are; default those that come with the command. */
  folder?: string | undefined;
  /** A folder of guides without categories, whose guides stand for ours of the same name: what somebody made their own. */
  own?: string | undefined;
}

/** Beside `src` and `dist`, so that it is found from both. */
const SHIPPED = fileURLToPath(new URL('../../../skills/', import.meta.url));

export const SKILL_FILE = 'SKILL.md';

/** Names that these guides have elsewhere. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'hermes-atropos-environments': 'author-an-environment',
  evaluation: 'lm-evaluation-harness',
  'fine-tuning-with-trl': 'trl-fine-tuning',
  'serving-llms-vllm': 'vllm',
};

/** All of them, by category and name. */
export async function listSkills({ folder = SHIPPED, own }: SkillOptions = {}): Promise<Skill[]> {
  const shipped = await Promise.all(
    (await listFolders(folder)).map((category) => readFolder(path.join(folder, category), category)),
  );
  const others = own === undefined ? [] : await readFolder(own, 'own');
  const known = shipped.flat().filter(({ name }) => !others.some((other) => other.name === name));
  return [...known, ...others];
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(({ name }) => name).sort();
}

async function readFolder(folder: string, category: string): Promise<Skill[]> {
  const skills = (await listFolders(folder)).map(async (name): Promise<Skill[]> => {
    const home = path.join(folder, name);
    // Others keep guides there too, and half of one is none.
    const text = await readFile(path.join(home, SKILL_FILE), 'utf8').catch(() => undefined);
    if (text === undefined) return [];
    const header = readHeader(text);
    return [
      {
        name,
        category: header['category'] ?? category,
        description: header['description'] ?? '',
        version: header['version'] ?? '',
        needs: splitList(header['needs']),
        checked: readChecked(header['checked'], header['checked-on']),
        folder: home,
      },
    ];
  });
  return (await Promise.all(skills)).flat();
}

/** The guide without its header; undefined when there is no such skill. */
export async function readSkill(
  typed: string,
  options: SkillOptions = {},
): Promise<(Skill & { text: string }) | undefined> {
  // Found in the list and not by its path, so that a name cannot lead elsewhere.
  const skills = await listSkills(options);
  const name = toSkillName(
    typed,
    skills.map(({ category }) => category),
  );
  const skill = skills.find((each) => each.name === name);
  if (skill === undefined) return undefined;
  const text = await readFile(path.join(skill.folder, SKILL_FILE), 'utf8');
  return { ...skill, text: text.replace(HEADER, '').trimStart() };
}

/** `official/mlops/training/axolotl`, `training/axolotl` and `axolotl` are one. */
function toSkillName(typed: string, categories: readonly string[]): string {
  const words = typed.split('/');
  const last = words.pop() ?? '';
  const isPath = words.every((word) => ['official', 'mlops', 'research', ...categories].includes(word));
  return isPath ? (OTHER_NAMES[last] ?? last) : typed;
}

const HEADER = /^---\n([\s\S]*?)\n---\n/;

/** The fields of the header, those under `metadata` too. */
export function readHeader(text: string): Record<string, string> {
  const lines = HEADER.exec(text)?.[1]?.split('\n') ?? [];
  return Object.fromEntries(
    lines.flatMap((line) => {
      const found = /^ {0,2}([a-z-]+): +(.+)$/.exec(line);
      return found === null ? [] : [[found[1]!, found[2]!.replace(/^"(.*)"$/, '$1')]];
    }),
  );
}

/** `pypi axolotl 0.19.0, npm openai 6.1.0`, and the date. */
function readChecked(text: string | undefined, on = ''): CheckedVersion[] {
  return splitList(text).map((each) => {
    const [registry = '', name = '', version = ''] = each.split(' ');
    return { registry, name, version, on };
  });
}

function splitList(text: string | undefined): string[] {
  return (text ?? '').split(/, */).filter((each) => each !== '');
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
