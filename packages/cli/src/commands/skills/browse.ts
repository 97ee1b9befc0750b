import { defineCommand } from 'citty';
import { listSkills } from '../../agent/skills/skill.ts';
import { findNearest } from '../../flags/find-nearest.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { fail } from '../../terminal/fail.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { describeSkills, toSkillJson } from './describe-skills.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

const args = {
  category: { type: 'positional', required: false, description: 'only those of a category, such as training' },
  ...flags,
} as const;

export const skillsBrowseCommand = defineCommand({
  meta: { name: 'browse', description: 'List the guides that come with the command, by category.' },
  args,
  run: ({ args: given, rawArgs }) => browse(given, rawArgs),
});

/** The same under the name that other commands have for it. */
export const skillsListCommand = defineCommand({
  meta: { name: 'list', description: 'List the guides that come with the command: `skills browse`.' },
  args,
  run: ({ args: given, rawArgs }) => browse(given, rawArgs),
});

async function browse(
  { category, json }: { category?: string | undefined; json?: boolean | undefined },
  rawArgs: readonly string[],
): Promise<void> {
  readSettingFlags({}, {}, rawArgs, Object.keys(flags));
  const all = await listSkills();
  const skills = category === undefined ? all : all.filter((skill) => skill.category === category);
  if (skills.length === 0) {
    const categories = [...new Set(all.map((skill) => skill.category))];
    const nearest = findNearest(category ?? '', categories) ?? '';
    fail(
      `there is no category ${JSON.stringify(category)}. Did you mean ${nearest}? There are ${categories.join(', ')}.`,
    );
  }
  if (json === true) return writeJson(skills.map(toSkillJson));
  process.stdout.write(describeSkills(skills, readScreen().columns));
  if (category === undefined) {
    process.stdout.write('\n`lachesis skills view <name>` prints one, `skills install <name>` copies it.\n');
  }
}
