import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SKILL_FILE, type Skill } from '../../../packages/cli/src/agent/skills/skill.ts';
import { readPage } from '../../kit/read-page.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/** `packages` are installed from a registry, and typed by `--full`. */
const MARKS = ['gpu', 'account', 'packages'];
/** Blocks whose text is a command line and that no test would ever see. */
const SHELLS = /^```(bash|shell|console|zsh)\b/m;

/** Every command is typed by a test, or says what it needs. */
export async function checkMarks(context: ScenarioContext, skills: readonly Skill[]): Promise<void> {
  const counts = { typed: 0, marked: 0 };
  const faults: string[] = [];
  for (const skill of skills) {
    const page = await readFile(join(skill.folder, SKILL_FILE), 'utf8');
    if (SHELLS.test(page)) faults.push(`${skill.name} has a shell block that is not sh`);
    for (const block of readPage(page)) {
      if (block.kind !== 'typed') continue;
      if (block.needs === undefined) counts.typed += 1;
      else counts.marked += 1;
      if (block.needs !== undefined && !MARKS.includes(block.needs)) {
        faults.push(`${skill.name} needs ${block.needs}`);
      }
    }
  }
  context.report({
    name: 'commands of the skills',
    figure: `${skills.length} skills, ${counts.typed} blocks typed, ${counts.marked} marked, ${faults.length} neither${faults.map((fault) => `; ${fault}`).join('')}`,
    bar: '23 skills, 0 neither',
    ok: skills.length === 23 && faults.length === 0,
  });
}
