import type { DataRecord } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import type { Store } from '../database/store.ts';
import { HeldOutError } from '../errors/library-errors.ts';
import { StoreUnavailableError } from '../errors/store-unavailable-error.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createMemoryBlobs } from '../trajectories/captures.fixture.ts';
import { collectDrafts } from './collect-drafts.ts';
import { createDatasetVersion } from './create-dataset-version.ts';
import { deleteDataset } from './delete-dataset.ts';
import { digestRecord } from './digest-record.ts';
import { findDataset, listDatasets } from './find-datasets.ts';
import { findHeldOut } from './find-held-out.ts';
import { readDatasetRows } from './read-dataset-rows.ts';
import { createConversation, createPreference } from './records.fixture.ts';

describeOnEachDialect('data sets', (createTarget) => {
  async function open(target: Awaited<ReturnType<typeof createTarget>>) {
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const make = (name: string, rows: DataRecord[], isHeldOut = false) =>
      createDatasetVersion({ ...scope, name, isHeldOut, recipe: { from: 'test' }, rows });
    return { scope, make };
  }

  test('give back their rows in order, over many chunks', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    const rows = Array.from({ length: 1234 }, (_, index) => ({
      ...createConversation(`q${index}`),
      split: index % 10 === 0 ? 'test' : 'train',
    }));
    const made = await make('many', rows);
    expect(made).toMatchObject({
      name: 'many',
      version: 1,
      row_count: 1234,
      is_held_out: false,
      splits: { train: 1110, test: 124 },
      recipe: { from: 'test' },
    });
    const { dataset_id: datasetId } = made;
    expect(await Array.fromAsync(readDatasetRows({ ...scope, datasetId }))).toEqual(rows);
    const tested = await Array.fromAsync(readDatasetRows({ ...scope, datasetId, split: 'test' }));
    expect(tested.map(({ id }) => id)).toEqual(rows.filter(({ split }) => split === 'test').map(({ id }) => id));
    expect(await Array.fromAsync(readDatasetRows({ ...scope, tenantId: 'other', datasetId }))).toEqual([]);
  });

  test('have versions by content', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    const first = await make('a', [createConversation('1')]);
    const second = await make('a', [createConversation('1'), createConversation('2')]);
    expect(await make('a', [createConversation('1')])).toEqual(first);
    expect([first.version, second.version]).toEqual([1, 2]);
    expect(await findDataset({ ...scope, ref: 'a' })).toEqual(second);
    expect(await findDataset({ ...scope, ref: 'a@1' })).toEqual(first);
    expect(await findDataset({ ...scope, ref: first.dataset_id })).toEqual(first);
    expect(await findDataset({ ...scope, ref: 'a@3' })).toBeUndefined();
    expect(await findDataset({ ...scope, ref: 'b' })).toBeUndefined();
    expect((await listDatasets(scope)).map(({ name, version }) => `${name}@${version}`)).toEqual(['a@2', 'a@1']);
    const both = await Promise.all([make('race', [createConversation('1')]), make('race', [createConversation('2')])]);
    expect(both.map(({ version }) => version).sort((left, right) => left - right)).toEqual([1, 2]);
  });

  test('have another version for another split or weight of the same texts', async () => {
    await using target = await createTarget();
    const { make } = await open(target);
    const row = createConversation('1');
    const made = [];
    for (const rows of [[row], [{ ...row, split: 'test' }], [{ ...row, weight: 2 }]]) made.push(await make('a', rows));
    expect(made.map(({ version, splits }) => [version, splits])).toEqual([
      [1, { train: 1 }],
      [2, { test: 1 }],
      [3, { train: 1 }],
    ]);
  });

  test('for training refuse what is held out, by row and by question', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    await make('exam', [createConversation('secret'), createConversation('other')], true);
    const asked = {
      ...createConversation('secret'),
      messages: [
        { role: 'user', content: ' secret ' },
        { role: 'assistant', content: 'x' },
      ],
    };
    const error = await make('train', [createConversation('fine'), asked, createPreference('other')]).catch(
      (caught: unknown) => caught,
    );
    expect(HeldOutError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      dataset: 'train',
      rows: [
        { rowIndex: 1, heldOut: 'exam@1' },
        { rowIndex: 2, heldOut: 'exam@1' },
      ],
    });
    expect(String(error)).not.toContain('secret');
    expect(await findDataset({ ...scope, ref: 'train' })).toBeUndefined();
    expect(await make('train', [createConversation('fine')])).toMatchObject({ version: 1 });
    // Another held-out set may have the same rows.
    expect(await make('exam2', [createConversation('secret')], true)).toMatchObject({ version: 1 });
    const { whole } = digestRecord(createConversation('secret'));
    expect(await findHeldOut({ ...scope, digests: [whole, 'none'] })).toEqual([
      { digest: whole, dataset: 'exam@1', model: null },
      { digest: whole, dataset: 'exam2@1', model: null },
    ]);
  });

  test('remember what they are made from', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    const { dataset_id: id } = await make('a', [
      { ...createConversation('1'), trajectory_id: 't1' },
      { ...createPreference('2'), trajectory_id: 't1', feedback_ids: ['f1', 'f2'] },
    ]);
    const rows = await scope.store.db
      .selectFrom('lineage')
      .selectAll()
      .where('to_id', '=', id)
      .orderBy('from_id')
      .execute();
    expect(rows.map((row) => `${row.from_kind} ${row.from_id} ${row.relation} ${row.to_kind}`)).toEqual([
      'feedback f1 row-of dataset',
      'feedback f2 row-of dataset',
      'trajectory t1 row-of dataset',
    ]);
  });

  const LONG = 6_000;
  const longSet = (name: string) =>
    Array.from({ length: LONG }, (_, index) => ({
      ...createConversation(`${name} ${index}`),
      trajectory_id: `t${index}`,
    }));

  async function countAll({ store }: { store: Store }) {
    const counts: Record<string, number> = {};
    for (const table of [
      'dataset_versions',
      'dataset_chunks',
      'dataset_rows',
      'held_out_digests',
      'lineage',
    ] as const) {
      const counted = store.db.selectFrom(table).select((eb) => eb.fn.countAll().as('count'));
      counts[table] = Number((await counted.executeTakeFirstOrThrow())['count']);
    }
    return counts;
  }

  test('of many rows are written as they come, and read when all are there', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    const rows = longSet('q');
    let written = 0;
    async function* slowly() {
      for (const [index, row] of rows.entries()) {
        if (index === LONG - 1) written = (await countAll(scope))['dataset_rows'] ?? 0;
        yield row;
      }
      expect(await listDatasets(scope)).toEqual([]);
    }
    const shared = { ...scope, name: 'long', isHeldOut: false, recipe: null };
    const made = await createDatasetVersion({ ...shared, rows: slowly() });
    expect(written).toBeGreaterThan(LONG / 2);
    expect(await Array.fromAsync(readDatasetRows({ ...scope, datasetId: made.dataset_id }))).toEqual(rows);
    const before = await countAll(scope);
    expect(before).toMatchObject({ dataset_versions: 1, dataset_chunks: 12, dataset_rows: LONG, lineage: LONG });
    // The same once more is the version that is there, and leaves nothing.
    expect(await make('long', rows)).toEqual(made);
    expect(await countAll(scope)).toEqual(before);
  });

  test('that are refused, or broken off, leave nothing behind', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    await make('exam', [createConversation('q 5500'), createConversation('q 5999')], true);
    const before = await countAll(scope);
    const refused = await make('long', longSet('q')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ rows: [{ rowIndex: 5500 }, { rowIndex: 5999 }] });
    expect(await countAll(scope)).toEqual(before);
    function* broken() {
      yield* longSet('p');
      throw new Error('the library is away');
    }
    const shared = { ...scope, name: 'long', isHeldOut: true, recipe: null };
    await expect(createDatasetVersion({ ...shared, rows: broken() })).rejects.toThrow('the library is away');
    expect(await countAll(scope)).toEqual(before);
  });

  test('whose last answer got lost keep their rows', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const commit: Store['commit'] = async (unit, options) => {
      const receipt = await scope.store.commit(unit, options);
      const isLast = unit.statements.some(({ query }) => query.sql.includes('into dataset_versions'));
      if (isLast) throw new StoreUnavailableError({ detail: 'cut off', outcome: 'unknown' });
      return receipt;
    };
    const rows = longSet('q');
    const shared = { ...scope, store: { ...scope.store, commit }, name: 'long', isHeldOut: false, recipe: null };
    await expect(createDatasetVersion({ ...shared, rows })).rejects.toMatchObject({ outcome: 'unknown' });
    const made = (await findDataset({ ...scope, ref: 'long' }))!;
    expect(await Array.fromAsync(readDatasetRows({ ...scope, datasetId: made.dataset_id }))).toEqual(rows);
  });

  test('that were killed in the making, or in being deleted, are collected a day later', async () => {
    await using target = await createTarget();
    const { scope, make } = await open(target);
    const kept = await make('kept', longSet('kept'));
    const before = await countAll(scope);
    await make('draft', longSet('draft'));
    await scope.store.db.deleteFrom('dataset_versions').where('name', '=', 'draft').execute();
    expect(await collectDrafts(scope)).toBe(0);
    expect(await collectDrafts({ ...scope, graceMs: -60_000 })).toBe(1);
    expect(await countAll(scope)).toEqual(before);
    expect(await deleteDataset({ ...scope, datasetId: kept.dataset_id })).toBe(true);
    expect(await countAll(scope)).toMatchObject({ dataset_versions: 0, dataset_chunks: 0, dataset_rows: 0 });
  });
});
