import { listSkills, readSkill, type Skill } from '../../agent/skills/skill.ts';
import { findNearest } from '../../flags/find-nearest.ts';
import { fail } from '../../terminal/fail.ts';

/** The guide of a name; ends the command when there is none. */
export async function requireSkill(typed: string): Promise<Skill & { text: string }> {
  const skill = await readSkill(typed);
  if (skill !== undefined) return skill;
  const names = (await listSkills()).map(({ name }) => name);
  const last = typed.split('/').at(-1) ?? typed;
  // Half of a name is nearer than any other name: `trl`, `fsdp`, `grpo`.
  const meant =
    names.find((name) => last !== '' && name.split('-').includes(last)) ??
    findNearest(last, names, Math.max(2, Math.floor(last.length / 3)));
  return fail(
    `there is no skill ${JSON.stringify(typed)}. ` +
      (meant === undefined ? '`lachesis skills browse` lists them.' : `Did you mean ${meant}?`),
  );
}
