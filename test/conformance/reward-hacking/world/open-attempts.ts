import {
  defineAgentEnvironment,
  type Outcome,
  resolveEnvironmentConfig,
  type ScriptedReply,
} from '@lachesis/sdk/environment';
import type { SandboxProvider } from '@lachesis/sdk/sandbox';

import { rollOutReplies } from '../../../../packages/environments/src/work-folder/roll-out-replies.fixture.ts';
import type { TaskSpec } from '../../../../packages/environments/src/work-folder/task-spec.ts';

export interface Attempts<Item> {
  /** One rollout of an item in sandboxes of its own, and its grade. */
  attempt(item: Item, replies: readonly (string | ScriptedReply)[]): Promise<Outcome>;
  close(): Promise<void>;
}

/** Opens an environment for chosen items. */
export async function openAttempts<Item>(
  spec: TaskSpec<Item>,
  items: readonly Item[],
  sandboxes: SandboxProvider,
): Promise<Attempts<Item>> {
  const definition = defineAgentEnvironment({ ...spec, items: { train: items, evaluation: items }, sandboxes });
  const { values } = resolveEnvironmentConfig({ definition });
  const environment = await definition.open({ config: values.env });
  const drawn = await environment.listEvaluationItems();
  let count = 0;
  return {
    attempt: async (item, replies) => {
      const found = drawn.find((each) => each.item === item);
      if (found === undefined) throw new Error('the item was not opened');
      count += 1;
      return rollOutReplies({ environment, drawn: found, replies, rolloutId: `attempt-${count}` });
    },
    close: () => environment.close(),
  };
}
