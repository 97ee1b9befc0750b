import { ToolError, type AgentTool } from '@lachesis/sdk/agent';
import { defineFieldTool } from '../tool-fields.ts';
import { listSkills, readSkill, type SkillOptions } from './skill.ts';

/** The guides, for a model that has to follow one. */
export function createSkillTools(options: SkillOptions = {}): AgentTool[] {
  return [
    defineFieldTool({
      name: 'list_skills',
      description: 'Lists guides for kinds of tasks, with when to take which.',
      fields: {},
      execute: async () =>
        (await listSkills(options)).map(({ name, category, description }) => ({ name, category, description })),
    }),
    defineFieldTool({
      name: 'view_skill',
      description: 'Shows one guide, whole. Read the one that fits before you begin.',
      fields: { name: { type: 'string', description: 'a name that list_skills shows' } },
      execute: async ({ name }) => {
        const skill = await readSkill(name, options);
        if (skill !== undefined) return skill.text;
        const names = (await listSkills(options)).map((each) => each.name);
        throw new ToolError({
          what: `There is no skill ${JSON.stringify(name)}`,
          hint: `There are ${names.join(', ')}`,
        });
      },
    }),
  ];
}
