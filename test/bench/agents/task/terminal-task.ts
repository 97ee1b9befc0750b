import type { AgentRolloutResult } from '@lachesis/sdk/environment';
import type { Sandbox } from '@lachesis/sdk/sandbox';

import { ANSWER, DATA, TASK } from './commands.ts';

interface Item {
  readonly data: string;
}

/** The task as the parts of an agent environment. */
export const terminalTask = {
  defaultToolsets: ['terminal'],
  items: { train: [{ data: DATA }], evaluation: [{ data: DATA }] },
  prepare: ({ data }: Item, sandbox: Sandbox): Promise<void> => sandbox.writeFile('data.csv', data),
  formatPrompt: (): string => TASK,
  computeReward: (_item: Item, { finalResponse }: AgentRolloutResult): number =>
    finalResponse.trim() === ANSWER ? 1 : 0,
};
