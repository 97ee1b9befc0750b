import { join } from 'node:path';

import { openStore, registerModel } from '@lachesis/store';

import { warmUp } from '../grpo-tiny/warm-up.ts';
import { listTalk } from './list-talk.ts';

/** Twenty-five steps of sixteen. */
const CONVERSATIONS = 400;

/** A model that writes digits, the wanted one among others, under the name `talker` in the registry of a home. */
export async function startTalker(options: {
  engineUrl: string;
  modelDirectory: string;
  home: string;
  seed: number;
}): Promise<string> {
  const { home, modelDirectory, seed } = options;
  const { statePath } = await warmUp({ ...options, conversations: listTalk({ count: CONVERSATIONS, seed }) });
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  try {
    await registerModel({
      store,
      tenantId: 'local',
      name: 'talker',
      baseModel: modelDirectory,
      method: 'sft',
      weightsPath: statePath,
      statePath,
    });
  } finally {
    await store.close();
  }
  return statePath;
}
