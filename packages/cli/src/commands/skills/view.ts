import { defineCommand } from 'citty';
import { requireSkill } from './require-skill.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';

const flags = { json: { type: 'boolean', description: 'print JSON' } } as const;

export const skillsViewCommand = defineCommand({
  meta: { name: 'view', description: 'Print a guide.' },
  args: { name: { type: 'positional', required: true, description: 'a name that `skills list` shows' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const { name, description, text } = await requireSkill(args.name);
    if (args.json === true) writeJson({ name, description, text });
    else process.stdout.write(text);
  },
});
