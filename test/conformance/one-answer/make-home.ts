import { writeFile } from 'node:fs/promises';
import { createIdSource, makeConversation, type CallRecord, type CaptureRecord } from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { openOutbox } from '@lachesis/sdk/capture';
import {
  createDatasetVersion,
  openHome,
  openWork,
  promoteModel,
  recordCaptures,
  recordLineage,
  recordModelEvaluation,
  registerModel,
  startImprovement,
  writeFeedback,
} from '@lachesis/store';

import { makeCall } from '../../../packages/server/src/control/bench.fixture.ts';

/** What the home holds, by the names that commands use. */
export interface Known {
  /** One with feedback and a key of its own. */
  readonly trajectoryId: string;
  readonly key: string;
  readonly others: readonly string[];
  readonly feedbackId: string;
  readonly modelId: string;
  readonly improvementId: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const end = (call: CaptureRecord, outcome: 'failed' | 'finished' | 'scored', reward: number | null): CaptureRecord => {
  const { recorder, trajectory, user, tags, consent, at } = call;
  const common = { recorder, trajectory, user, tags, consent, at: at + 1, metadata: null };
  return { ...common, record_id: createIdSource().next(), sequence: 1, kind: 'end', outcome, reward, reason: null };
};

const at = (time: number) => ({ at: time, started_at: time, ended_at: time + 500 });

/** Calls of several models, people, times, tools and ends: every filter has something to leave out. */
function makeRecords(now: number): CaptureRecord[] {
  const question = (content: string): Pick<CallRecord, 'messages'> => ({ messages: [{ role: 'user', content }] });
  const reply = { finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' } as const;
  const rated = makeCall({ ...at(now - HOUR_MS), trajectory: 'ticket-7', user: 'ann', tags: ['sales'] });
  const sun = makeCall({ ...question('How far is the sun?'), ...at(now - 2 * DAY_MS), model: 'large', user: 'ann' });
  const old = makeCall({ ...question('What is old?'), ...at(now - 30 * DAY_MS), source: 'openai', tags: ['old'] });
  const failed = makeCall({
    ...{ ...question('Why did it fail?'), ...at(now - 3 * HOUR_MS), state: 'failed', replies: [] },
    error: { message: 'it broke', status: 500 },
  });
  const tools = makeCall({
    ...{ ...question('Which files are here?'), ...at(now - 4 * HOUR_MS), user: 'ben', consent: 'evaluate' },
    replies: [
      {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list_files', arguments: '{}' } }],
        },
        ...reply,
      },
    ],
  });
  const tokens = { prompt_token_ids: [1, 2], token_ids: [3, 4], logprobs: [-0.1, -0.2], policy_version: 1 };
  const withTokens = makeCall({
    ...{ ...question('How far is the moon?'), ...at(now - 5 * HOUR_MS), model: 'large' },
    replies: [{ ...reply, message: { role: 'assistant', content: 'Far.' }, tokens, tokens_missing: null }],
  });
  const kept = makeCall({ ...question('Is this only to be kept?'), ...at(now - 6 * HOUR_MS), consent: 'keep' });
  const again = makeCall({ ...question('What is two and two?'), ...at(now - 7 * HOUR_MS), model: 'large' });
  const doomed = makeCall({ ...question('Shall I be forgotten?'), ...at(now - 8 * HOUR_MS), user: 'zoe' });
  return [
    ...[rated, end(rated, 'scored', 0.75), sun, end(sun, 'scored', 0.25), old, failed, end(failed, 'failed', null)],
    ...[tools, withTokens, end(withTokens, 'finished', null), kept, again, doomed],
  ];
}

/** A home with recorded calls, ratings of people, a judge and a rule, data sets, versions of a model, what ties them, and jobs. */
export async function makeHome(place: { home: string; databaseUrl: string | undefined }): Promise<Known> {
  await using opened = await openHome(place);
  const { store, blobs } = opened;
  const scope = { store, tenantId: 'local' };
  const ids = createIdSource();
  const records = makeRecords(Date.now());
  const receipts = await recordCaptures({ ...scope, blobs, ids, records });
  const found = [...new Set(receipts.map(({ trajectory_id: id }) => id))];
  const [trajectoryId = '', ...others] = found;
  const common = { trajectory_id: trajectoryId, author: 'ada', author_kind: 'person' } as const;
  const rated = await writeFeedback({ ...scope, ids, feedback: { ...common, kind: 'stars', stars: 4 } });
  await writeFeedback({ ...scope, ids, feedback: { ...common, author: 'ben', kind: 'thumb', is_up: false } });
  for (const [index, id] of found.slice(0, 4).entries()) {
    const about = { trajectory_id: id, kind: 'score', score: index / 4 } as const;
    await writeFeedback({ ...scope, ids, feedback: { ...about, author: 'wise', author_kind: 'judge' } });
    await writeFeedback({ ...scope, ids, feedback: { ...about, author: 'rule:short', author_kind: 'rule' } });
  }
  const up = { ...common, trajectory_id: others[0] ?? '', kind: 'thumb', is_up: true } as const;
  await writeFeedback({ ...scope, ids, feedback: up });
  const over = { trajectory_id: others[6] ?? '' };
  await writeFeedback({ ...scope, ids, feedback: { ...common, kind: 'choice', over } });
  const [set] = [await makeSet(scope, blobs, 'chats', false), await makeSet(scope, blobs, 'exam', true)];
  const model = { ...scope, name: 'support', baseModel: 'tiny', method: 'sft', run: 'r' } as const;
  const dataset = { name: 'chats', version: 1, digest: set.content_digest };
  const config = { lr: 0.1, tags: ['a'] };
  const { modelVersionId } = await registerModel({ ...model, step: 5, weightsPath: 'tinker://m/5', dataset, config });
  await registerModel({ ...model, step: 9, weightsPath: 'tinker://m/9', parent: 'support@1' });
  await registerModel({ ...model, name: 'taste', method: 'reward', step: 1, weightsPath: 'tinker://m/1' });
  await recordModelEvaluation({ ...scope, ref: modelVersionId, name: 'exam', content: { mean: 0.5 } });
  await promoteModel({ ...scope, name: 'support', version: 1, reason: 'first', by: 'ada' });
  const { improvement } = await startImprovement({ ...scope, model: 'support', plan: {}, stage: 'collect' });
  for (const name of ['my_run', 'my_other']) await makeJob({ ...scope, blobs, name });
  const from = { kind: 'feedback', id: rated.feedback_id } as const;
  const to = { kind: 'dataset', id: set.dataset_id } as const;
  await recordLineage({ ...scope, arrows: [{ from, to, relation: 'row-of' }] });
  const { improvementId } = improvement;
  return {
    ...{ trajectoryId, key: 'ticket-7', others, feedbackId: rated.feedback_id, modelId: modelVersionId, improvementId },
  };
}

/** A job of which one item is done, one has failed, and one is left. */
async function makeJob(place: Parameters<typeof openWork>[0]): Promise<void> {
  const job = openWork(place);
  await job.create({ settings: { model: 'm' }, inputs: ['a', 'b', 'c'].map((prompt) => ({ prompt })) });
  const [first, second] = await job.acquire({ holder: 'home', leaseSeconds: 60, count: 2 });
  if (first === undefined || second === undefined) throw new Error('a job of three items has two to lease');
  await job.finish({ item: first, state: 'done', result: { text: 'an answer' }, cost: 0.5 });
  const failure = { isLast: true, restMs: 0, isStartingOver: false };
  await job.fail({ item: second, reason: 'ACME-4711 was refused', cost: 0.25, ...failure });
}

const makeSet = (
  scope: Pick<Parameters<typeof createDatasetVersion>[0], 'store' | 'tenantId'>,
  blobs: Parameters<typeof createDatasetVersion>[0]['blobs'],
  name: string,
  isHeldOut: boolean,
): ReturnType<typeof createDatasetVersion> =>
  createDatasetVersion({
    ...{ ...scope, blobs, name, isHeldOut, recipe: {} },
    rows: [
      makeConversation({
        id: name,
        messages: [
          { role: 'user', content: `a question of ${name}` },
          { role: 'assistant', content: 'a' },
        ],
      }),
    ],
  });

/** Leaves a call in the outbox of a home, as an application does whose records nobody has read yet. */
export async function leaveCall(
  home: string,
  { recorder, content }: { recorder: string; content: string },
): Promise<void> {
  const outbox = openOutbox({ directory: outboxPaths(home).directory, recorder });
  const call = makeCall({ recorder, trajectory: recorder, source: 'app', messages: [{ role: 'user', content }] });
  outbox.append(call);
  await outbox.close();
}

/** Writes a file of conversations, each with this reply. */
export async function writeRows(path: string, replies: readonly string[]): Promise<void> {
  const rows = replies.map((content, index) =>
    makeConversation({
      id: `brought/${index}`,
      messages: [
        { role: 'user', content: `Who called, ${index}?` },
        { role: 'assistant', content },
      ],
    }),
  );
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}
