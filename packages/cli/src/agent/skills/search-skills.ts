import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listSkills, SKILL_FILE, type Skill, type SkillOptions } from './skill.ts';

/** Where a word was found counts more than how often. */
const WEIGHTS = { name: 8, description: 3, text: 1 } as const;

/** The guides in which every word is, the nearest first. */
export async function searchSkills(query: string, options: SkillOptions = {}): Promise<Skill[]> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = await Promise.all(
    (await listSkills(options)).map(async (skill) => {
      const text = await readFile(path.join(skill.folder, SKILL_FILE), 'utf8');
      const scores = words.map((word) => scoreWord(word, { ...skill, text }));
      return { skill, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) };
    }),
  );
  const found = ranked.filter(({ score }) => score > 0);
  return found.toSorted((left, right) => right.score - left.score).map(({ skill }) => skill);
}

function scoreWord(word: string, { name, category, description, text }: Skill & { text: string }): number {
  if (`${category}/${name}`.includes(word)) return WEIGHTS.name;
  if (description.toLowerCase().includes(word)) return WEIGHTS.description;
  return text.toLowerCase().includes(word) ? WEIGHTS.text : 0;
}
