import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isBlobReferenced } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { readKeepPolicy, writeKeepPolicy } from '../retention/keep-policies.ts';
import { retain, type RetentionReport } from '../retention/retain.ts';
import { DIGEST, fillQueue, SCOPE } from '../rollouts/trained-queue.fixture.ts';
import { createOvertakenStore } from '../testing/overtaken-store.fixture.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import type { TestTarget } from '../testing/test-stores.fixture.ts';
import { assistant, createCall, createMemoryBlobs, user } from '../trajectories/captures.fixture.ts';
import { setConsent } from '../trajectories/change-trajectory.ts';
import { recordCaptures } from '../trajectories/captures/record-captures.ts';
import { forgetTrajectories } from '../trajectories/forget-trajectories.ts';
import { iterateTrajectories } from '../trajectories/iterate-trajectories.ts';
import { listTrajectories } from '../trajectories/list-trajectories.ts';
import { readTrajectory } from '../trajectories/read-trajectory.ts';
import { listColdFiles } from './cold-files.ts';
import { readColdGroups } from './cold-groups.ts';
import { readColdTurns } from './cold-turns.ts';
import { moveTurns } from './move-turns.ts';

const DAY_MS = 86_400_000;
/** Too long for a row, and a blob of its own. */
const LONG = `canarylong ${'x y '.repeat(10_000)}`;
/** Too many messages for a row, each of them short. */
const MANY = Array.from({ length: 1_200 }, (_, index) => user(hash('sha256', `part ${index}`)));

async function open(target: TestTarget) {
  return { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
}

/** Groups that were settled forty days ago. */
async function fillOldQueue(store: Store) {
  await fillQueue(store);
  const blobs = createMemoryBlobs();
  for (const letter of 'ab') blobs.files.set(DIGEST(letter), new TextEncoder().encode(letter));
  const old = (await store.now()) - 40 * DAY_MS;
  await store.db.updateTable('groups').set({ received_at: old }).execute();
  await store.db.updateTable('group_fates').set({ at: old }).execute();
  return { blobs, old };
}

async function readAll(scope: { store: Store; blobs: BlobStore; tenantId: string }) {
  const all = [];
  for await (const one of iterateTrajectories({ ...scope, filter: {} })) all.push(one);
  return all;
}

async function fill(scope: Awaited<ReturnType<typeof open>>): Promise<string[]> {
  const first = [user('canaryhello')];
  const told = await recordCaptures({
    ...scope,
    records: [
      createCall({ trajectory: 'a', user: 'ada', messages: first, reply: assistant('hi ada') }),
      createCall({ trajectory: 'a', user: 'ada', sequence: 1, messages: [...first, assistant('hi ada'), user(LONG)] }),
      createCall({ trajectory: 'b', user: 'bob', sequence: 2, messages: [user('bob asks')] }),
      createCall({ trajectory: 'c', user: 'bob', sequence: 3, messages: MANY }),
    ],
  });
  return [...new Set(told.map((one) => one.trajectory_id))];
}

const options = { olderThan: 1_800_000_000_000 };

describeOnEachDialect('contents that left the database', (createTarget) => {
  test('are in a file, and everything that reads them reads the same', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const ids = await fill(scope);
    const before = await readAll(scope);
    expect(before.flatMap(({ turns }) => turns)).toHaveLength(4);
    expect(await moveTurns({ ...scope, ...options, isDryRun: true })).toEqual({ cold: 3 });
    expect(await listColdFiles({ ...scope, kind: 'turns' })).toEqual([]);
    expect(await moveTurns({ ...scope, ...options })).toEqual({ cold: 3 });

    const rows = await scope.store.db.selectFrom('turns').select(['payload', 'cold_row']).execute();
    expect(rows.map((row) => row.payload)).toEqual([null, null, null, null]);
    expect(new Set(rows.map((row) => row.cold_row))).toEqual(new Set([0, 1, 2, 3]));
    const [file, ...more] = await listColdFiles({ ...scope, kind: 'turns' });
    expect(more).toEqual([]);
    expect(file).toMatchObject({ rows: 4, kind: 'turns', runId: null });
    // The file, and the long text: what was too large for its row is in the file now.
    expect(scope.blobs.files.size).toBe(2);

    expect(await readAll(scope)).toEqual(before);
    expect((await readTrajectory({ ...scope, trajectoryId: ids[0]! }))?.turns).toEqual(before[0]?.turns);
    const found = await listTrajectories({ ...scope, filter: { text: 'canaryhello' }, limit: 5 });
    expect(found.trajectories).toHaveLength(1);
    expect(await moveTurns({ ...scope, ...options })).toEqual({ cold: 0 });
    const contents = (await readColdTurns(scope.blobs, file!.digest)).map((turn) => turn.content);
    expect(contents.filter((text) => text.includes('canaryhello'))).toHaveLength(1);
  });

  test('are gone from the file when they are forgotten, and the others stay', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const [mine] = await fill(scope);
    await moveTurns({ ...scope, ...options });
    const others = (await readAll(scope)).slice(1);
    const [before] = await listColdFiles({ ...scope, kind: 'turns' });
    expect(await forgetTrajectories({ ...scope, user: 'ada' })).toMatchObject({ trajectories: 1 });
    expect(await readTrajectory({ ...scope, trajectoryId: mine! })).toBeUndefined();
    expect(await readAll(scope)).toEqual(others);
    const [after, ...more] = await listColdFiles({ ...scope, kind: 'turns' });
    expect(more).toEqual([]);
    expect(after).toMatchObject({ rows: 2 });
    expect([...scope.blobs.files.keys()]).toEqual([after!.digest]);
    expect(await isBlobReferenced({ ...scope, digest: before!.digest })).toBe(false);
    expect((await readColdTurns(scope.blobs, after!.digest)).map((turn) => turn.user_name)).toEqual(['bob', 'bob']);
    await forgetTrajectories({ ...scope, user: 'bob' });
    expect(scope.blobs.files.size).toBe(0);
    expect(await listColdFiles({ ...scope, kind: 'turns' })).toEqual([]);
  });

  test('are forgotten by two at once, without a turn that names a file that is gone', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const ids = await fill(scope);
    await moveTurns({ ...scope, ...options });
    await Promise.all(ids.slice(0, 2).map((trajectoryId) => forgetTrajectories({ ...scope, trajectoryId })));
    expect((await readAll(scope)).map(({ summary }) => summary.trajectory_id)).toEqual(ids.slice(2));
    expect(await listColdFiles({ ...scope, kind: 'turns' })).toMatchObject([{ rows: 1 }]);
    expect(scope.blobs.files.size).toBe(1);
  });

  test('are gone from the file too when they are moved into it while they are forgotten', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    await fill(scope);
    const { store } = scope;
    let isMoved = false;
    // After what is to be deleted was read, and before it is.
    const moving: Store = {
      ...{ db: store.db, dialect: store.dialect, now: () => store.now(), close: () => store.close() },
      async commit(unit, given) {
        const isDeletion = unit.statements.some(({ query }) => query.sql.startsWith('delete from turns'));
        if (isDeletion && !isMoved) {
          isMoved = true;
          expect(await moveTurns({ ...scope, ...options })).toEqual({ cold: 3 });
        }
        return await store.commit(unit, given);
      },
    };
    expect(await forgetTrajectories({ ...scope, store: moving, user: 'ada' })).toMatchObject({ trajectories: 1 });
    expect(isMoved).toBe(true);
    const files = await listColdFiles({ ...scope, kind: 'turns' });
    const left = await Promise.all(files.map(({ digest }) => readColdTurns(scope.blobs, digest)));
    expect(left.flat().map((turn) => turn.user_name)).toEqual(['bob', 'bob']);
    expect(scope.blobs.files.size).toBe(1);
  });

  test('are read while somebody in the same file is forgotten', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    const ids = await fill(scope);
    await moveTurns({ ...scope, ...options });
    const others = (await readAll(scope)).slice(1);
    let isForgotten = false;
    // After the rows were read, and before the file is.
    const blobs: BlobStore = {
      ...scope.blobs,
      async get(digest) {
        if (!isForgotten) {
          isForgotten = true;
          await forgetTrajectories({ ...scope, user: 'ada' });
        }
        return await scope.blobs.get(digest);
      },
    };
    const read = await readAll({ ...scope, blobs });
    expect(isForgotten).toBe(true);
    expect(read.slice(1)).toEqual(others);
    expect(read[0]?.turns).toEqual([]);
    expect((await readTrajectory({ ...scope, trajectoryId: ids[1]! }))?.turns).toEqual(others[0]?.turns);
  });

  test('go on: a turn that comes later is hot, and is moved in its turn', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    await fill(scope);
    await moveTurns({ ...scope, ...options });
    const messages = [user('bob asks'), assistant('fine'), user('and more')];
    await recordCaptures({ ...scope, records: [createCall({ trajectory: 'b', user: 'bob', sequence: 4, messages })] });
    const before = await readAll(scope);
    expect(before[1]?.turns.map((turn) => turn.kept_messages)).toEqual([0, 2]);
    expect(await moveTurns({ ...scope, ...options })).toEqual({ cold: 1 });
    expect(await readAll(scope)).toEqual(before);
    const files = await listColdFiles({ ...scope, kind: 'turns' });
    expect(new Set(files.map((file) => file.rows))).toEqual(new Set([1, 4]));
    await setConsent({ ...scope, trajectoryId: before[1]!.summary.trajectory_id, consent: 'keep' });
    expect((await readAll(scope))[1]?.turns).toEqual(before[1]?.turns);
  });

  test('leave by the policy of a run or of all, and stay where a payload cannot be read', async () => {
    await using target = await createTarget();
    const scope = await open(target);
    await fill(scope);
    const [lost] = await scope.store.db
      .selectFrom('turns')
      .select('payload_digest')
      .where('payload_digest', 'is not', null)
      .execute();
    const kept = scope.blobs.files.get(lost!.payload_digest!);
    scope.blobs.files.delete(lost!.payload_digest!);
    await writeKeepPolicy({ ...scope, policy: { hot: 30, records: 60 } });
    // What goes altogether does not leave for a file before.
    expect(await retain({ ...scope, isDryRun: true })).toMatchObject({ cold: 0, records: 3 });
    await writeKeepPolicy({ ...scope, policy: { records: null } });
    expect(await readKeepPolicy(scope)).toEqual({ hot: 30, records: null });
    expect(await retain(scope)).toMatchObject({ cold: 2, records: 0 });
    scope.blobs.files.set(lost!.payload_digest!, kept!);
    expect(await retain(scope)).toMatchObject({ cold: 1, records: 0 });
    await writeKeepPolicy({ ...scope, policy: { records: 60 } });
    expect(await retain(scope)).toMatchObject({ cold: 0, records: 3 });
    expect(scope.blobs.files.size).toBe(0);
  });

  test('are rows of groups too: settled ones, with what became of them, and their payloads go with the history', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { blobs, old } = await fillOldQueue(store);
    const scope = { ...SCOPE, store };
    const before = await store.db.selectFrom('groups').selectAll().orderBy('position').execute();
    await writeKeepPolicy({ ...scope, policy: { hot: 30 } });
    const settled = await store.db.selectFrom('group_fates').select('group_id').execute();
    expect(await retain({ store, blobs, isDryRun: true })).toMatchObject({ coldGroups: settled.length, groups: 0 });
    await writeKeepPolicy({ ...scope, policy: { history: 35 } });
    const either = { coldGroups: 0, groups: settled.length };
    expect(await retain({ store, blobs, isDryRun: true })).toMatchObject(either);
    await writeKeepPolicy({ ...scope, policy: { history: null } });
    expect(await store.db.selectFrom('groups').select('group_id').execute()).toHaveLength(before.length);
    expect(await retain({ store, blobs })).toMatchObject({ coldGroups: settled.length, groups: 0 });
    expect(await store.db.selectFrom('group_fates').select('group_id').execute()).toEqual([]);
    const [file] = await listColdFiles({ ...scope, kind: 'groups' });
    const cold = await readColdGroups(blobs, file!.digest);
    expect(cold.map((group) => group.group_id).toSorted()).toEqual(settled.map((row) => row.group_id).toSorted());
    expect(cold[0]).toMatchObject({
      ...{ settled_at: old, received_at: old, has_payload: true },
      payload_digest: before.find((row) => row.group_id === cold[0]!.group_id)?.payload_digest,
    });
    for (const { payload_digest: digest } of cold) expect(await isBlobReferenced({ store, digest })).toBe(true);
    expect(await retain({ store, blobs })).toMatchObject({ coldGroups: 0 });

    await writeKeepPolicy({ ...scope, policy: { history: 60 } });
    expect(await retain({ store, blobs })).toMatchObject({ groups: 0 });
    await writeKeepPolicy({ ...scope, policy: { history: 35 } });
    expect(await retain({ store, blobs })).toMatchObject({ groups: settled.length });
    expect(await listColdFiles({ ...scope, kind: 'groups' })).toEqual([]);
    for (const { payload_digest: digest } of cold) expect(await isBlobReferenced({ store, digest })).toBe(false);
  });

  test('are moved and let go of by two collectors at once, each file once', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { blobs } = await fillOldQueue(store);
    const scope = { ...SCOPE, store };
    const others: RetentionReport[] = [];
    const retainHere = async (): Promise<unknown> => others.push(await retain({ store, blobs }));
    const overtaken = createOvertakenStore(store, retainHere);

    await writeKeepPolicy({ ...scope, policy: { hot: 30 } });
    expect(await retain({ store: overtaken, blobs })).toMatchObject({ coldGroups: 0 });
    const [file, ...more] = await listColdFiles({ ...scope, kind: 'groups' });
    expect(more).toEqual([]);
    expect(await readColdGroups(blobs, file!.digest)).toHaveLength(3);

    await writeKeepPolicy({ ...scope, policy: { history: 35 } });
    const wholeReading: BlobStore = {
      ...blobs,
      async get(digest) {
        if (digest === file!.digest && others.length === 1) await retainHere();
        return await blobs.get(digest);
      },
    };
    expect(await retain({ store, blobs: wholeReading })).toMatchObject({ groups: 0 });
    expect(others).toMatchObject([{ coldGroups: 3 }, { groups: 3 }]);
    expect(blobs.files.size).toBe(0);
  });

  test('are let go of once when another collector is first', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { blobs } = await fillOldQueue(store);
    await writeKeepPolicy({ ...SCOPE, store, policy: { hot: 30 } });
    await retain({ store, blobs });
    await writeKeepPolicy({ ...SCOPE, store, policy: { history: 35 } });
    const others: RetentionReport[] = [];
    const overtaken = createOvertakenStore(store, async () => others.push(await retain({ store, blobs })));
    expect(await retain({ store: overtaken, blobs })).toMatchObject({ groups: 0 });
    expect(others).toMatchObject([{ groups: 3 }]);
    expect(blobs.files.size).toBe(0);
  });
});
