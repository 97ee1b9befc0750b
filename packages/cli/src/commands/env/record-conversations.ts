import { createRecorder, recordTrajectory } from '@lachesis/sdk/capture';
import type { runEnvironmentCommand } from '@lachesis/sdk/environment';

type OnConversation = NonNullable<Parameters<typeof runEnvironmentCommand>[0]['onConversation']>;

export interface ConversationRecording {
  add: OnConversation;
  /** Waits until what is recorded has been handed over, and says where it is; undefined when nothing was. */
  close(): Promise<string | undefined>;
}

const LONGEST_NAME = 60;
const LONGEST_KEY = 200;

/** Keeps what an environment rolled out as trajectories: `process:digits@20261117-015012`, a source for each time. */
export function openConversationRecording(options: {
  mode: 'evaluate' | 'process';
  environment: string;
  now?: () => number;
}): ConversationRecording {
  const { mode, environment, now = Date.now } = options;
  const began = new Date(now()).toISOString().replaceAll(/[-:]/g, '').slice(0, 15).replace('T', '-');
  const kind = mode === 'evaluate' ? 'evaluation' : 'process';
  const source = `${kind}:${environment.slice(0, LONGEST_NAME)}@${began}`;
  let count = 0;
  // Opened with the first one: a run that ends before has nothing to keep.
  let recorder: ReturnType<typeof createRecorder> | undefined;
  return {
    add({ task, model, messages, outcome }) {
      recorder ??= createRecorder();
      recordTrajectory({
        ...{ recorder, source, model, messages, trajectory: `${source}/${count}/${task}`.slice(0, LONGEST_KEY) },
        // What measures is not learnt from.
        consent: mode === 'evaluate' ? 'evaluate' : 'train',
        metadata: { task, split: mode === 'evaluate' ? 'evaluation' : 'train' },
        outcome: outcome.kind,
        ...(outcome.kind === 'scored' ? { reward: outcome.reward } : { reason: outcome.reason }),
      });
      count += 1;
    },
    async close() {
      await recorder?.close();
      return count === 0 ? undefined : source;
    },
  };
}
