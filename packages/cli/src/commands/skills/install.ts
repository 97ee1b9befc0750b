import { defineCommand } from 'citty';
import { installSkill } from '../../agent/skills/install-skill.ts';
import { listSkills, type Skill } from '../../agent/skills/skill.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { fail } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';
import { chooseSkillPlaces, skillPlaceFlags } from './places.ts';
import { requireSkill } from './require-skill.ts';

const flags = {
  all: { type: 'boolean', description: 'install every guide' },
  ...skillPlaceFlags,
  force: { type: 'boolean', description: 'replace one that was changed by hand' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const skillsInstallCommand = defineCommand({
  meta: { name: 'install', description: 'Copy a guide to where your agent finds it.' },
  args: { name: { type: 'positional', required: false, description: 'a name that `skills browse` shows' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const { name } = args;
    if ((name === undefined) === (args.all !== true)) fail('say which guide to install, or --all.');
    const skills = name === undefined ? await listSkills() : [await requireSkill(name)];
    const installed: string[] = [];
    for (const folder of chooseSkillPlaces(args)) {
      for (const skill of skills) installed.push(await install(skill, folder, args.force === true));
    }
    if (args.json === true) writeJson({ installed });
    else process.stdout.write(installed.map((where) => `installed ${where}\n`).join(''));
  },
});

async function install(skill: Skill, folder: string, replaces: boolean): Promise<string> {
  const where = await installSkill({ skill, into: folder, replaces }).catch((error: NodeJS.ErrnoException) =>
    fail(`${skill.name} cannot be written to ${folder} (${error.code ?? error.message}).`),
  );
  return (
    where ??
    fail(`${skill.name} in ${folder} was changed by hand. --force replaces it; what was changed in it is lost then.`)
  );
}
