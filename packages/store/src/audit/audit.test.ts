import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../database/store.ts';
import { describeOnEachDialect, type TestTarget } from '../testing/test-stores.fixture.ts';
import { appendAudit } from './append-audit.ts';
import { moveAuditAnchor, readAuditAnchor } from './audit-anchor.ts';
import { openAuditKey, readAuditPublicKey } from './audit-key.ts';
import type { AuditEntry } from './audit-line.ts';
import { exportAudit, toAuditAnchor, verifyAuditExport } from './export-audit.ts';
import { listAudit, readAuditHead } from './read-audit.ts';
import { retainAudit } from './retain-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const entry = (place: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1_000 + place,
  tenantId: 'a',
  action: 'DELETE /v1/trajectories/:id',
  tokenId: 'token-1',
  from: '127.0.0.1',
  by: 'control',
  things: { id: `trajectory-${place}` },
  result: 'ok',
  status: 200,
  count: 1,
  ...more,
});

async function open(createTarget: () => Promise<TestTarget>, lines: number) {
  const target = await createTarget();
  const store = await target.open();
  const home = await mkdtemp(join(tmpdir(), 'lachesis-audit-'));
  const key = await openAuditKey(home);
  await appendAudit({ store, key, entries: Array.from({ length: lines }, (_, place) => entry(place + 1)) });
  const verify = () => verifyAudit({ store, keys: [key] });
  return { target, store, home, key, verify, [Symbol.asyncDispose]: () => target[Symbol.asyncDispose]() };
}

describeOnEachDialect('the audit log', (createTarget) => {
  it('verifies, also while several processes write to it at once', async () => {
    await using log = await open(createTarget, 3);
    const others = await Promise.all([1, 2, 3].map(() => log.target.open()));
    await Promise.all(
      others.flatMap((store) =>
        Array.from({ length: 8 }, (_, place) =>
          appendAudit({ store, key: log.key, entries: [entry(place), entry(place)] }),
        ),
      ),
    );
    expect(await log.verify()).toMatchObject({ ok: true, lines: 3 + 3 * 8 * 2, to: { cursor: 51 } });
  });

  it('says of an empty log that there is nothing', async () => {
    await using log = await open(createTarget, 0);
    expect(await log.verify()).toMatchObject({ ok: true, lines: 0 });
  });

  it('lists by tenant, token, action, time and refusal, the newest last', async () => {
    await using log = await open(createTarget, 2);
    const more = [
      entry(3, { tenantId: 'b', tokenId: 'token-2', action: 'token revoke', things: { token: 'token-1' } }),
      entry(4, { tenantId: '', tokenId: null, result: 'unauthorized', status: 401, count: 7, until: 5_000 }),
    ];
    await appendAudit({ ...log, entries: more });
    const list = async (filter: object, limit = 100) =>
      (await listAudit({ store: log.store, filter, limit })).map(({ cursor }) => cursor);
    expect(await list({})).toEqual([1, 2, 3, 4]);
    expect(await list({}, 2)).toEqual([3, 4]);
    expect(await list({ tenantId: 'b' })).toEqual([3]);
    expect(await list({ tokenId: 'token-1' })).toEqual([1, 2, 3]);
    expect(await list({ action: 'TOKEN' })).toEqual([3]);
    expect(await list({ since: 1_003 })).toEqual([3, 4]);
    expect(await list({ isRefused: true })).toEqual([4]);
  });

  it('names the line of each change, whoever made it without the key', async () => {
    await using log = await open(createTarget, 6);
    const { db } = log.store;
    const cases: [string, number, () => Promise<unknown>][] = [
      ['a field', 3, () => db.updateTable('audit_lines').set({ action: 'GET /' }).where('cursor', '=', 3).execute()],
      ['a line taken out', 2, () => db.deleteFrom('audit_lines').where('cursor', '=', 2).execute()],
      ['the newest taken out', 6, () => db.deleteFrom('audit_lines').where('cursor', '=', 6).execute()],
      ['the first taken out', 1, () => db.deleteFrom('audit_lines').where('cursor', '=', 1).execute()],
      ['another signature', 4, () => swapSignatures(log.store, 4, 5)],
      ['the end moved', 5, () => endAt(log.store, 4)],
      ['the begin moved', 3, () => db.updateTable('audit_heads').set({ start_cursor: 2 }).execute()],
      ['the end taken out', 1, () => db.deleteFrom('audit_heads').execute()],
    ];
    const before = await read(log.store);
    for (const [name, cursor, change] of cases) {
      await change();
      expect([name, await log.verify()]).toMatchObject([name, { ok: false, cursor }]);
      await restore(log.store, before);
      expect(await log.verify()).toMatchObject({ ok: true });
    }
  });

  it('is not taken from another log, and not signed by a stranger', async () => {
    await using log = await open(createTarget, 2);
    await using other = await open(createTarget, 4);
    expect(await verifyAudit({ store: log.store, keys: [other.key] })).toMatchObject({
      ok: false,
      reason: expect.stringContaining(log.key.keyId) as string,
    });
    await appendAudit({ store: log.store, key: other.key, entries: [entry(9)] });
    expect(await log.verify()).toMatchObject({ ok: false, cursor: 3 });
    expect(await verifyAudit({ store: log.store, keys: [log.key, other.key] })).toMatchObject({ ok: true });
    await restore(log.store, await read(other.store));
    expect(await log.verify()).toMatchObject({ ok: false, cursor: 1 });
  });

  it('shows the home that the newest lines, or all, were rolled back to an earlier copy', async () => {
    await using log = await open(createTarget, 3);
    const { store, home, key } = log;
    const copy = await read(store);
    const move = async () => moveAuditAnchor({ home, store, head: (await readAuditHead(store))! });
    await appendAudit({ store, key, entries: [entry(4), entry(5)] });
    expect(await move()).toBe(true);
    const verify = async () => verifyAudit({ store, keys: [key], anchors: [(await readAuditAnchor(home))!] });
    expect(await verify()).toMatchObject({ ok: true });
    await restore(store, copy);
    expect(await log.verify()).toMatchObject({ ok: true });
    expect(await verify()).toMatchObject({ ok: false, cursor: 4 });
    // A server that goes on writing does not cover it up.
    await appendAudit({ store, key, entries: [entry(6), entry(7), entry(8)] });
    expect(await move()).toBe(false);
    expect(await verify()).toMatchObject({ ok: false, cursor: 5 });
    await restore(store, { lines: [], heads: [] });
    expect(await verify()).toMatchObject({ ok: false, cursor: 1 });
    await appendAudit({ store, key, entries: [entry(1)] });
    expect(await move()).toBe(false);
    expect(await verify()).toMatchObject({ ok: false, reason: expect.stringContaining('another log') as string });
  });

  it('verifies from where it begins after the oldest lines were let go of, and keeps them in an archive', async () => {
    await using log = await open(createTarget, 10);
    const { store, key } = log;
    let archived: string[] = [];
    const archive = async (range: { afterCursor: number; upToCursor: number }) => {
      archived = await Array.fromAsync(exportAudit({ store, key, ...range, now: () => 5 }));
    };
    const retain = (olderThan: number) => retainAudit({ store, key, olderThan, now: () => 9, archive });
    expect(await retain(1_005)).toEqual({ lines: 4, upToCursor: 4 });
    expect(await log.verify()).toMatchObject({ ok: true, lines: 6, from: { cursor: 4 } });
    expect(await verifyAuditExport({ lines: toAsync(archived), keys: [key] })).toMatchObject({ ok: true, lines: 4 });
    expect(await retain(1_005)).toMatchObject({ lines: 0 });
    // Everything is old: the newest line stays.
    expect(await retain(99_999)).toMatchObject({ upToCursor: 9 });
    await appendAudit({ store, key, entries: [entry(11)] });
    expect(await log.verify()).toMatchObject({ ok: true, lines: 2, from: { cursor: 9 } });
    await store.db.deleteFrom('audit_lines').where('cursor', '=', 10).execute();
    expect(await log.verify()).toMatchObject({ ok: false, cursor: 10 });
    await expect(retain(99_999)).resolves.toMatchObject({ lines: 0 });
  });

  it('leaves as a file that verifies with the public key alone, and whose every changed character shows', async () => {
    await using log = await open(createTarget, 4);
    const { store, key } = log;
    const lines = await Array.fromAsync(exportAudit({ store, key, afterCursor: 1, now: () => 7 }));
    const keys = [readAuditPublicKey(key.pem)];
    const verdict = await verifyAuditExport({ lines: toAsync(lines), keys });
    expect(verdict).toMatchObject({ ok: true, lines: 3, from: { cursor: 1 }, to: { cursor: 4 } });
    // What left is held against what is here.
    const anchor = toAuditAnchor(verdict as typeof verdict & { ok: true }, 'export')!;
    expect(await verifyAudit({ store, keys, anchors: [anchor] })).toMatchObject({ ok: true });
    expect(await verifyAudit({ store, keys, anchors: [{ ...anchor, hash: 'f' }] })).toMatchObject({ cursor: 4 });
    for (let place = 0; place < lines.length; place += 1) {
      expect((await verifyAuditExport({ lines: toAsync(lines.toSpliced(place, 1)), keys })).ok).toBe(false);
      expect((await verifyAuditExport({ lines: toAsync(lines.toSpliced(place, 0, lines[place]!)), keys })).ok).toBe(
        false,
      );
      const text = lines[place]!;
      // The key in the heading is a convenience for who trusts the file; nothing is checked with it.
      if (place === 0) continue;
      for (let at = 0; at < text.length; at += 7) {
        const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
        expect([place, at, (await verifyAuditExport({ lines: toAsync(lines.with(place, changed)), keys })).ok]).toEqual(
          [...[place, at, false]],
        );
      }
    }
  });
});

describe('the key of a home', () => {
  it('is made once, also by two at once, and is nobody else’s to read', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lachesis-audit-'));
    const keys = await Promise.all([1, 2, 3, 4].map(() => openAuditKey(home)));
    expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1);
    expect((await stat(join(home, 'audit', 'key.pem'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, 'audit'))).mode & 0o777).toBe(0o700);
    expect(readAuditPublicKey(await readFile(join(home, 'audit', 'key.pem'), 'utf8')).keyId).toBe(keys[0]?.keyId);
  });

  it('is not moved by a damaged anchor', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lachesis-audit-'));
    await openAuditKey(home);
    await writeFile(join(home, 'audit', 'anchor.json'), '{"cur');
    expect(await readAuditAnchor(home)).toMatchObject({ logId: 'unreadable' });
  });
});

async function* toAsync(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function read({ db }: Store) {
  return {
    lines: await db.selectFrom('audit_lines').selectAll().orderBy('cursor').execute(),
    heads: await db.selectFrom('audit_heads').selectAll().execute(),
  };
}

async function restore({ db }: Store, { lines, heads }: Awaited<ReturnType<typeof read>>): Promise<void> {
  await db.deleteFrom('audit_lines').execute();
  await db.deleteFrom('audit_heads').execute();
  if (lines.length > 0) await db.insertInto('audit_lines').values(lines).execute();
  if (heads.length > 0) await db.insertInto('audit_heads').values(heads).execute();
}

async function swapSignatures({ db }: Store, one: number, other: number): Promise<void> {
  const rows = await db
    .selectFrom('audit_lines')
    .selectAll()
    .where('cursor', 'in', [one, other])
    .orderBy('cursor')
    .execute();
  const [first, second] = rows;
  await db.updateTable('audit_lines').set({ signature: second!.signature }).where('cursor', '=', one).execute();
  await db.updateTable('audit_lines').set({ signature: first!.signature }).where('cursor', '=', other).execute();
}

async function endAt({ db }: Store, cursor: number): Promise<void> {
  const row = await db.selectFrom('audit_lines').selectAll().where('cursor', '=', cursor).executeTakeFirstOrThrow();
  await db.updateTable('audit_heads').set({ cursor, hash: row.hash, at: row.at }).execute();
}
