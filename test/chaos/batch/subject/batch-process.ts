import {
  askWithRetry,
  type AgentParts,
  type BatchAgent,
  BatchError,
  batchSettingsSchema,
  createLoopAgent,
  runBatch,
  workOnBatch,
} from '@lachesis/data/batch';
import { readHolderNames } from '../../../../packages/data/src/batch/holder-name.ts';
import { type AgentTool, createChatModel } from '@lachesis/sdk/agent';
import { openHome } from '@lachesis/store';

import { BATCH_SIZE, promptOf, RUN_NAME, type SubjectJob } from './job.ts';

/**
 * The batch runner in a process that can be killed. It loads everything first and begins when it is told, so that a life is
 * spent on work.
 */
process.once('message', (job) => {
  run(job as SubjectJob).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
// Whoever started us is gone: nobody would end us.
process.once('disconnect', () => process.exit(2));
process.send?.('ready');

const echo = (name: string): AgentTool => ({
  name,
  description: 'Gives back the text it is given.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  execute: async ({ text }) => ({ text }),
});

async function run(job: SubjectJob): Promise<void> {
  const { store, blobs } = await openHome({ home: job.home, databaseUrl: job.databaseUrl });
  const place = { store, blobs, tenantId: 'local', name: RUN_NAME };
  const never = new AbortController().signal;
  const names = readHolderNames();
  const work = {
    ...{ place, concurrency: job.concurrency, stopping: never, hurry: never },
    names: job.mutant === 'takes-living-for-dead' ? { self: names.self, isGone: () => true } : names,
    createAgent: (parts: AgentParts): BatchAgent => {
      const agent = createAgent(parts, job);
      if (job.mutant !== 'forgets-turns') return agent;
      return { run: (task) => agent.run({ ...task, onTurn: async () => undefined }) };
    },
  };
  if (job.role === 'worker') {
    await retryWhileMissing(() => workOnBatch(work));
  } else {
    const settings = batchSettingsSchema.parse({
      ...{ dataset_file: 'prompts.jsonl', batch_size: BATCH_SIZE, model: 'scripted', base_url: job.modelUrl },
      distribution: 'minimal',
    });
    const inputs = Array.from({ length: job.prompts }, (_, index) => ({ prompt: promptOf(index) }));
    await runBatch({ ...work, settings, inputs, directory: job.directory, isResuming: job.isResuming });
  }
  await store.close();
}

/** A worker may be there before the run. */
async function retryWhileMissing(begin: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await begin();
      return;
    } catch (error) {
      if (!BatchError.isInstance(error) || error.kind !== 'refused' || tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function createAgent({ settings, gate, meter, names, stopping }: AgentParts, { life }: SubjectJob): BatchAgent {
  const ask = createChatModel({ url: settings.base_url, model: settings.model, apiKey: life, retryForMs: 0 });
  return createLoopAgent({
    ...{ settings, meter, stopping, owner: names.self, toolsets: { web: [echo('web_search')] } },
    model: askWithRetry({ ask, gate, meter, stopping }),
    sandboxes: () => {
      throw new Error('no tool of this run has a sandbox');
    },
  });
}
