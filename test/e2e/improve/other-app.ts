import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createIdSource, summariseDifferences, type CallRecord } from '@lachesis/protocol';
import { createLibraryClient } from '@lachesis/sdk';
import { beginImprovement, improveModel } from '@lachesis/server/processes';
import { listDatasets, listFeedback, listTrajectories, openHome, readDatasetRows } from '@lachesis/store';

import { isLiked, questions, REPLIES, toPrompt } from './corpus.ts';
import { readLineage } from './read-lineage.ts';
import { runLachesis } from './run-lachesis.ts';

const MODEL = 'weather';

/**
 * Another application of the same home. It is asked the same questions, its users like the opposite, and its model is not
 * ours. Gives how many conversations it had.
 */
export async function recordOtherApp({ url }: { url: string }): Promise<number> {
  const ids = createIdSource();
  const asked = questions.flatMap((question) => REPLIES.map((reply) => ({ prompt: toPrompt(question), reply })));
  const now = Date.now();
  const records = asked.map(({ prompt, reply }, sequence): CallRecord => {
    const message = { role: 'assistant' as const, content: reply };
    return {
      ...{ record_id: ids.next(), recorder: 'weather app', sequence, trajectory: `weather/${sequence}`, at: now },
      ...{ user: null, tags: [], consent: 'train', metadata: null, kind: 'call', state: 'complete', source: 'openai' },
      ...{ model: MODEL, tools: null, sampling: {}, is_stream: false, messages: [{ role: 'user', content: prompt }] },
      replies: [{ message, finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' }],
      ...{ usage: null, cost: null, upstream: null, started_at: now, first_token_at: null, ended_at: now, error: null },
    };
  });
  const library = createLibraryClient({ url });
  const receipts = await library.sendRecords(records);
  for (const [index, { prompt, reply }] of asked.entries()) {
    const about = { trajectory_id: receipts[index]?.trajectory_id ?? '', author: 'its user' };
    await library.writeFeedback({ ...about, author_kind: 'person', kind: 'thumb', is_up: !isLiked(prompt, reply) });
  }
  return records.length;
}

export interface Crossed {
  /** Of the other application, in the data sets of the improvement. */
  readonly rows: number;
  /** Its conversations and ratings in the lineage of what was trained. */
  readonly lineage: number;
  /** Ratings that others than its users gave it. */
  readonly ratings: number;
  /** Its conversations that its own export has no longer. */
  readonly heldBack: number;
}

/** What went from the other application into an improvement of ours, or was taken from it. */
export async function countCrossed(options: { home: string; engineUrl: string; model?: string }): Promise<Crossed> {
  const { home, model } = options;
  const back = model === undefined ? [] : (await readLineage({ ...options, what: `model:${model}` })).back;
  const file = join(home, 'weather.jsonl');
  await runLachesis({ ...options, args: ['data', 'export', 'sharegpt', '--model', MODEL, '-o', file] });
  const exported = (await readFile(file, 'utf8')).trim().split('\n').length;
  const tenantId = 'local';
  await using opened = await openHome({ home });
  const { store, blobs } = opened;
  const page = await listTrajectories({ store, tenantId, filter: { model: MODEL }, limit: 1_000 });
  const own = new Set(page.trajectories.map(({ trajectory_id: id }) => id));
  const said = (await listFeedback({ store, tenantId })).filter(({ feedback }) => own.has(feedback.trajectory_id));
  let rows = 0;
  for (const { dataset_id: datasetId } of await listDatasets({ store, tenantId }))
    for await (const row of readDatasetRows({ store, blobs, tenantId, datasetId }))
      if (own.has(row.trajectory_id ?? '')) rows += 1;
  const known = new Set([...own, ...said.map(({ feedback_id: id }) => id)]);
  return {
    rows,
    lineage: back.filter(({ id }) => known.has(id)).length,
    ratings: said.filter(({ feedback }) => feedback.author !== 'its user').length,
    heldBack: own.size - exported,
  };
}

export const sumOf = ({ rows, lineage, ratings, heldBack }: Crossed): number => rows + lineage + ratings + heldBack;

/** The seeded fault: an improvement that looks at all there is. It dies when it would train, and what it took is there. */
export async function improveFromAll({ home, engineUrl }: { home: string; engineUrl: string }): Promise<void> {
  const tenantId = 'local';
  await using opened = await openHome({ home });
  const { store, blobs } = opened;
  const plan = { model: 'talker', method: 'kto', all_models: true } as const;
  const { improvementId } = (await beginImprovement({ store, tenantId, plan })).improvement;
  const died = new Error('killed');
  await improveModel({
    ...{ store, blobs, home, tenantId, improvementId, tinker: { baseUrl: engineUrl, apiKey: 'tml-none' } },
    ...{ summarise: summariseDifferences, train: () => Promise.reject(died) },
  }).catch((error: unknown) => {
    if (error !== died) throw error;
  });
}
