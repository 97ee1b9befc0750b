import { defineCommand } from 'citty';
import { listSkills } from '../../agent/skills/skill.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

export const skillsListCommand = defineCommand({
  meta: { name: 'list', description: 'List the guides that come with the command.' },
  args: flags,
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const skills = (await listSkills()).map(({ name, description }) => ({ name, description }));
    if (args.json === true) return writeJson(skills);
    const width = Math.max(0, ...skills.map(({ name }) => name.length));
    process.stdout.write(skills.map(({ name, description }) => `${name.padEnd(width)}  ${description}\n`).join(''));
  },
});
