import { defineCommand } from 'citty';
import { installSkill } from '../../agent/skills/install-skill.ts';
import { readSkillState, type SkillState } from '../../agent/skills/installed-skill.ts';
import { listSkills, type Skill } from '../../agent/skills/skill.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { failWithSentence } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';
import { findSkillPlaces, skillPlaceFlags } from './places.ts';
import { requireSkill } from './require-skill.ts';

const flags = {
  ...skillPlaceFlags,
  force: { type: 'boolean', description: 'also those that were changed by hand' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

const DONE = {
  current: 'is as it comes with the command',
  edited: 'was changed by hand and left as it is; --force replaces it',
} as const;

export const skillsUpdateCommand = defineCommand({
  meta: {
    name: 'update',
    description: 'Replace installed guides by those of this version, where nobody changed them.',
  },
  args: { name: { type: 'positional', required: false, description: 'only this one' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const skills = args.name === undefined ? await listSkills() : [await requireSkill(args.name)];
    const places = findSkillPlaces(args);
    const found: { where: string; state: SkillState; updated: boolean }[] = [];
    for (const folder of places) {
      for (const skill of skills) {
        const each = await update(skill, folder, args.force === true).catch(failWithSentence);
        if (each.state !== 'absent') found.push({ where: `${folder}/${skill.name}`, ...each });
      }
    }
    if (args.json === true) return writeJson(found);
    const lines = found.map(({ where, state, updated }) =>
      updated ? `updated ${where}` : `${where} ${DONE[state as keyof typeof DONE]}`,
    );
    const none = `no guide of ours is in ${places.join(', ')}; \`lachesis skills install <name>\` puts one there`;
    process.stdout.write(`${lines.length === 0 ? none : lines.join('\n')}\n`);
  },
});

async function update(skill: Skill, into: string, replaces: boolean): Promise<{ state: SkillState; updated: boolean }> {
  const state = await readSkillState(skill, into);
  const updated = state === 'outdated' || (state === 'edited' && replaces);
  if (updated) await installSkill({ skill, into, replaces });
  return { state, updated };
}
