import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome, type JobRef } from '@lachesis/store';
import type { BatchAgent, BatchAnswer, BatchTask } from './batch-agent.ts';
import { type BatchSettings, type BatchSettingsInput, batchSettingsSchema } from './batch-settings.ts';
import { type BatchOutcome, runBatch, type RunBatchOptions } from './run-batch.ts';

export interface BatchWorld extends AsyncDisposable {
  place: JobRef;
  directory: string;
  run(agent: BatchAgent, options?: RunInWorld): Promise<BatchOutcome>;
  readLines(file: string): Promise<Record<string, unknown>[]>;
}

export interface RunInWorld extends Partial<Omit<RunBatchOptions, 'settings'>> {
  prompts?: readonly string[];
  settings?: Partial<BatchSettingsInput>;
}

export const makeSettings = (given: Partial<BatchSettingsInput> = {}): BatchSettings =>
  batchSettingsSchema.parse({
    dataset_file: 'p.jsonl',
    batch_size: 2,
    model: 'm',
    base_url: 'http://none/v1',
    ...given,
  });

/** A database and a folder of a test's own. */
export async function openBatchWorld(): Promise<BatchWorld> {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-batch-'));
  const { store, blobs } = await openHome({ home });
  const place = { store, blobs, tenantId: 't', name: 'run' };
  const directory = join(home, 'data', 'run');
  const never = new AbortController().signal;
  return {
    place,
    directory,
    run: (agent, { prompts = ['a', 'b', 'a', 'd', 'e'], settings, ...options } = {}) =>
      runBatch({
        ...{ place, directory, concurrency: 2, stopping: never, hurry: never, isResuming: false },
        ...{
          settings: makeSettings(settings),
          inputs: prompts.map((prompt) => ({ prompt })),
          createAgent: () => agent,
        },
        ...options,
      }),
    async readLines(file) {
      const text = await readFile(join(directory, file), 'utf8');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(home, { recursive: true });
    },
  };
}

export function makeAnswer({ input }: Pick<BatchTask, 'input'>, given: Partial<BatchAnswer> = {}): BatchAnswer {
  return {
    messages: [
      { role: 'user', content: input.prompt },
      { role: 'assistant', content: `answer to ${input.prompt}`, reasoning_content: 'hm' },
    ],
    ...{ tools: null, toolsets_used: [], completed: true, partial: false, reason: 'answered', api_calls: 1 },
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    cost: 0.01,
    ...given,
  };
}

/** Answers everything, and counts how often each prompt was asked. */
export function makeAgent(answer: (task: BatchTask) => BatchAnswer | Promise<BatchAnswer> = makeAnswer): BatchAgent & {
  asked: number[];
} {
  const asked: number[] = [];
  return {
    asked,
    async run(task) {
      asked.push(task.index);
      return answer(task);
    },
  };
}
