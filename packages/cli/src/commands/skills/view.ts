import { defineCommand } from 'citty';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { toSkillJson } from './describe-skills.ts';
import { requireSkill } from './require-skill.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

export const skillsViewCommand = defineCommand({
  meta: { name: 'view', description: 'Print a guide.' },
  args: { name: { type: 'positional', required: true, description: 'a name that `skills browse` shows' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const skill = await requireSkill(args.name);
    if (args.json === true) writeJson(toSkillJson(skill));
    else process.stdout.write(skill.text);
  },
});
