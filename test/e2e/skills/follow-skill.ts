import { setTimeout as sleep } from 'node:timers/promises';

import type { Skill } from '../../../packages/cli/src/agent/skills/skill.ts';
import { leaveOutBlock } from '../../kit/leave-out-block.ts';
import type { TypedPage } from '../../kit/type-page.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { endProcesses, listProcesses } from '../demo/list-processes.ts';
import { followPage } from '../first-run/follow-page.ts';
import type { FreshMachine } from '../first-run/fresh-machine.ts';

export interface FollowSkillOptions {
  readonly skill: Skill;
  /** Typed at the end, as a reader looks whether it worked. */
  readonly goal?: string;
  /** Which block is not followed. */
  readonly without?: number;
  /** The model server that stands for the one of the guides. */
  readonly modelUrl: string;
  /** Changes the guide before it is typed. */
  readonly change?: (page: string) => string;
}

let places = 0;

/** Where the guides have a model server. Another may be there already: Ollama itself, or another suite. */
const GUIDES_MODEL_URL = 'http://localhost:11434/v1';

/** Types a guide in a home of its own; undefined when it cannot even be followed, such as a file without its folder. */
export async function followSkill(
  context: ScenarioContext,
  machine: FreshMachine,
  { skill, goal, without, modelUrl, change = (page) => page }: FollowSkillOptions,
): Promise<TypedPage | undefined> {
  places += 1;
  const place = await machine.openInstalled(`${skill.name}-${places}`, { withModels: true });
  const file = `../packages/cli/skills/${skill.category}/${skill.name}/SKILL.md`;
  const end = goal === undefined ? '' : `\n\`\`\`sh\n${goal}\n\`\`\`\n`;
  try {
    return await followPage(context, machine, file, {
      place,
      change: (page) =>
        change(without === undefined ? page : leaveOutBlock(page, without)).replaceAll(GUIDES_MODEL_URL, modelUrl) +
        end,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    context.log(`cannot be followed: ${(error as Error).message}`);
    return undefined;
  } finally {
    await endAll(place.home);
  }
}

/** What a guide left running holds the ports that the next one wants. */
async function endAll(home: string): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    if ((await listProcesses(home)).length === 0) return;
    await endProcesses(home);
    await sleep(500);
  }
}
