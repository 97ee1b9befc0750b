import { createRedactor, datasetImportSchema, type RolloutGroup } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { openHome, readDatasetRows } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importDataset } from '../../library/datasets.ts';
import { readLineage } from '../../models/lineage.ts';
import { rolloutsToData, type RolloutsToDataOptions } from './rollouts-to-data.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-rollout-data-'));
});
afterEach(() => rm(folder, { recursive: true }));

type Client = RolloutsToDataOptions['client'];

const sequence = (rollout: number, score: number | null, reply: string): RolloutGroup['sequences'][number] => ({
  ...{ rollout, rollout_id: `r${rollout}`, score, advantage: null, length: 3, trained_tokens: 1, left_out: null },
  ...{ drift: null, policy_versions: [], text: null, tokens: [7, 8, 9], mask: [0, 0, 1], logprobs: [1, 1, -0.5] },
  messages: [
    { role: 'user', content: 'seven?' },
    { role: 'assistant', content: reply },
  ],
});

/** Step 1 with one group that has two ends and a rollout whose history was rewritten, step 2 with one that earned nothing. */
const groups: Record<string, RolloutGroup['sequences']> = {
  g1: [sequence(0, 0.2, 'no'), sequence(1, 0.9, 'eight'), sequence(1, 0.9, 'seven'), sequence(2, null, 'lost')],
  g2: [sequence(0, 0, 'a'), sequence(1, 0, 'b')],
};

const step = (number: number, isKept: boolean) => ({
  ...{ step: number, state: 'done', policy_version: 0, groups: 1, rollouts: 2, mean_reward: 0, lowest_reward: 0 },
  ...{ highest_reward: 1, trained_tokens: 2, bytes: 1, is_kept: isKept, has_trainer_logprobs: false },
  ...{ started_at: 0, ended_at: 1 },
});

/** A server that gives one step a page, and one group a page. */
const client: Client = {
  listSteps: async (run, { before = 4 } = {}) => ({
    ...{ run_id: run, steps: [step(before - 1, before - 1 < 3)], next: before > 2 ? before - 1 : null },
  }),
  readStep: async (run, number) => ({
    ...{ run_id: run, step: step(number, true), next: null },
    groups: [{ group_id: `g${number}` }] as Awaited<ReturnType<Client['readStep']>>['groups'],
  }),
  readGroup: async (run, groupId) => ({
    ...{ run_id: run, group_id: groupId, item: 'i', environment: 'toy', step: 1, policy_version: 0, received_at: 0 },
    sequences: groups[groupId] ?? [],
  }),
};

async function make(changes: Partial<RolloutsToDataOptions>) {
  await using home = await openHome({ home: folder });
  const scope = { store: home.store, blobs: home.blobs, tenantId: 'local' };
  const library: Pick<LibraryClient, 'importDataset'> = {
    importDataset: (name, { rows, ...given }) =>
      importDataset({
        ...{ ...scope, name, rows, redactor: createRedactor() },
        make: datasetImportSchema.omit({ rows: true }).parse(given),
      }),
  };
  const { signal } = new AbortController();
  const data = await rolloutsToData({ client, library, run: 'rl-a', name: 'd', make: 'best', signal, ...changes });
  const { made } = data;
  const rows =
    made === undefined ? [] : await Array.fromAsync(readDatasetRows({ ...scope, datasetId: made.dataset.dataset_id }));
  const lineage = made === undefined ? undefined : await readLineage({ ...scope, what: 'dataset:d' });
  return { ...data, rows, lineage };
}

test('the best attempt of each group is a row that says where it is from, and the set says its run', async () => {
  const { rows, groups: read, leftOut, lineage } = await make({});
  expect(read).toBe(2);
  expect(leftOut).toEqual({ 'its best attempt earned nothing': 1 });
  expect(rows).toMatchObject([
    {
      ...{ kind: 'conversation', id: 'r1', reward: 0.9, tokens: null },
      messages: [{ role: 'user' }, { role: 'assistant', content: 'seven' }],
      extra: { rollout: { run: 'rl-a', step: 1, group_id: 'g1', rollout_id: 'r1', environment: 'toy', item: 'i' } },
    },
  ]);
  expect(lineage?.back.arrows).toMatchObject([{ from: { kind: 'run', id: 'rl-a' }, relation: 'row-of' }]);
});

test('the ends of each group are a pair', async () => {
  const { rows, leftOut } = await make({ make: 'pairs' });
  expect(leftOut).toEqual({ 'all its attempts earned the same': 1 });
  expect(rows).toMatchObject([{ kind: 'preference', chosen: [{ content: 'seven' }], rejected: [{ content: 'no' }] }]);
});

test('a single sequence keeps the tokens that were sampled', async () => {
  const { rows } = await make({ minScore: 0 });
  expect(rows[1]).toMatchObject({
    ...{ id: 'r0', tokens: { token_ids: [7, 8, 9], mask: [0, 0, 1], logprobs: [0, 0, -0.5] } },
  });
});

test('no set is made of nothing', async () => {
  expect(await make({ minScore: 2 })).toMatchObject({ made: undefined, groups: 2 });
  const empty: Client = { ...client, listSteps: async (run) => ({ run_id: run, steps: [step(1, false)], next: null }) };
  await expect(make({ client: empty })).rejects.toThrow('no rollouts of run rl-a are kept');
});
