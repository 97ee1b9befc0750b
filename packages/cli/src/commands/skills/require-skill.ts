import { listSkills, readSkill, type Skill } from '../../agent/skills/skill.ts';
import { fail } from '../../terminal/fail.ts';

/** The guide of a name; ends the command when there is none. */
export async function requireSkill(name: string): Promise<Skill & { text: string }> {
  const skill = await readSkill(name);
  if (skill !== undefined) return skill;
  const names = (await listSkills()).map((each) => each.name);
  return fail(`there is no skill ${JSON.stringify(name)}. There are ${names.join(', ')}.`);
}
