import { defineCommand } from 'citty';
import { installSkill } from '../../agent/skills/install-skill.ts';
import { listSkills } from '../../agent/skills/skill.ts';
import { fail } from '../../terminal/fail.ts';
import { requireSkill } from './require-skill.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';

/** Where agents of several makers look. */
const DEFAULT_FOLDER = '.agents/skills';

const flags = {
  all: { type: 'boolean', description: 'install every guide' },
  folder: {
    type: 'string',
    description: `where your agent looks for skills, such as .claude/skills (default: ${DEFAULT_FOLDER})`,
  },
  force: { type: 'boolean', description: 'replace one that is there' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const skillsInstallCommand = defineCommand({
  meta: { name: 'install', description: 'Copy a guide to where your agent finds it.' },
  args: { name: { type: 'positional', required: false, description: 'a name that `skills list` shows' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const { name, folder = DEFAULT_FOLDER } = args;
    if ((name === undefined) === (args.all !== true)) fail('say which guide to install, or --all.');
    const skills = name === undefined ? await listSkills() : [await requireSkill(name)];
    const installed: string[] = [];
    for (const skill of skills) {
      const where = await installSkill({ skill, into: folder, replaces: args.force === true }).catch(
        (error: NodeJS.ErrnoException) =>
          fail(`${skill.name} cannot be written to ${folder} (${error.code ?? error.message}).`),
      );
      if (where === undefined) {
        fail(`${skill.name} is in ${folder} already. --force replaces it; what was changed in it is lost then.`);
      }
      installed.push(where);
    }
    if (args.json === true) writeJson({ installed });
    else process.stdout.write(installed.map((where) => `installed ${where}\n`).join(''));
  },
});
