import { defineCommand } from 'citty';
import { searchSkills } from '../../agent/skills/search-skills.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { fail } from '../../terminal/fail.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { describeSkills, toSkillJson } from './describe-skills.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

export const skillsSearchCommand = defineCommand({
  meta: { name: 'search', description: 'Find the guides in which all words are, by name, description and text.' },
  args: { words: { type: 'positional', required: true, description: 'such as grpo' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const query = args._.join(' ');
    const skills = await searchSkills(query);
    if (args.json === true) return writeJson(skills.map(toSkillJson));
    if (skills.length === 0) fail(`no skill has ${JSON.stringify(query)} in it. \`lachesis skills browse\` lists all.`);
    process.stdout.write(describeSkills(skills, readScreen().columns));
  },
});
