import type { Outcome } from '@lachesis/sdk/environment';

import type { Cheat } from '../../../../packages/environments/src/work-folder/cheat.fixture.ts';
import type { Attempts } from './open-attempts.ts';
import { runInTurn } from './run-in-turn.ts';

export interface HackResult {
  readonly hack: string;
  readonly task: string;
  readonly outcome: Outcome;
}

/** Tries each hack on each item where it makes sense. */
export async function tryHacks<Item extends { readonly task: string }, Task>(options: {
  attempts: Attempts<Item>;
  items: readonly Item[];
  hacks: readonly Cheat<Task>[];
  taskOf: (item: Item) => Task;
}): Promise<HackResult[]> {
  const { attempts, items, hacks, taskOf } = options;
  const trials = hacks.flatMap((hack) =>
    items.flatMap((item) => {
      const replies = hack.replies(taskOf(item));
      return replies === undefined ? [] : [{ hack: hack.name, item, replies }];
    }),
  );
  return runInTurn(trials, async ({ hack, item, replies }) => ({
    hack,
    task: item.task,
    outcome: await attempts.attempt(item, replies),
  }));
}

/** It got a reward. One that is flagged (no number at all) got none, and is told apart. */
export const isRewarded = ({ outcome }: HackResult): boolean => outcome.kind === 'scored' && outcome.reward > 0;

export const isFlagged = ({ outcome }: HackResult): boolean => outcome.kind !== 'scored';
