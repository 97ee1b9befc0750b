import type { Skill } from '../../agent/skills/skill.ts';
import { renderColumns } from '../../terminal/render-columns.ts';

const MOST_COLUMNS = 80;

/** What programs get of a guide: where it lies is of this machine alone. */
export function toSkillJson(skill: Skill): object {
  return { ...skill, folder: undefined };
}

/** The guides by category, each with what it is for and what it needs. */
export function describeSkills(skills: readonly Skill[], columns: number): string {
  const categories = [...new Set(skills.map(({ category }) => category))];
  const lines = categories.flatMap((category) => {
    const rows = skills
      .filter((skill) => skill.category === category)
      .map((skill) => [skill.name, summarize(skill)] as const);
    return [category, ...renderColumns({ rows, columns: Math.min(columns, MOST_COLUMNS) }), ''];
  });
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Its first sentence: when to take it is for the agent that chooses. */
function summarize({ description, needs }: Skill): string {
  const first = /^.*?\.(?= |$)/.exec(description)?.[0] ?? description;
  return needs.length === 0 ? first : `${first} Needs: ${needs.join(', ')}.`;
}
