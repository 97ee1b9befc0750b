import { createHash, randomBytes } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { planToken, type CreatedToken } from './create-token.ts';
import { hashSecret } from './token-text.ts';
import type { TokensTable } from '../schema/platform.ts';
import type { Token } from './token.ts';

/*
 * A session is a token that a page holds for a while, in place of the token of who opened it. It is opened with a code, which
 * stands in an address and on a screen: good once, and for minutes. What both may do is what their maker may, for as long as the
 * maker's own token is good.
 */

/** There is nothing to guess: a try costs a call, and there are 2^128. */
const CODE_BYTES = 16;
const CODE = /^[A-Za-z0-9_-]{22}$/;

const MAKER = /^page of ([0-9a-f-]{36})$/;
const nameOf = (makerId: string): string => `page of ${makerId}`;

/** The token that a session stands for; undefined for a name that no session has. */
export const makerOf = (name: string): string | undefined => MAKER.exec(name)?.[1];

/** A code is found by what it hashes to, so that it can be short: none of it is stored. */
function idOfCode(code: string): string {
  const hex = createHash('sha256').update(`session code ${code}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** Makes a code that opens one session. If we die after the commit nobody holds it, and it ends by itself. */
export async function createSessionCode(options: {
  store: Store;
  /** Whose session it will be; the code of a session's own is for who opened that. */
  maker: Pick<Token, 'kind' | 'name' | 'run' | 'scopes' | 'tenantId' | 'tokenId'>;
  lifetimeMs: number;
  random?: (bytes: number) => Uint8Array;
}): Promise<{ code: string; expiresAt: number }> {
  const { store, maker, lifetimeMs, random = randomBytes } = options;
  const code = Buffer.from(random(CODE_BYTES)).toString('base64url');
  const expiresAt = (await store.now()) + lifetimeMs;
  const makerId = maker.kind === 'session' ? (makerOf(maker.name) ?? maker.tokenId) : maker.tokenId;
  const insert = store.db
    .insertInto('tokens')
    .values({
      ...{ tenant_id: maker.tenantId, token_id: idOfCode(code), name: nameOf(makerId), kind: 'session-code' },
      ...{ secret_hash: hashSecret(code), scopes: JSON.stringify(maker.scopes), run: maker.run },
      ...{ created_at: databaseClock(store.dialect), expires_at: expiresAt, revoked_at: null, last_used_at: null },
    })
    .compile();
  // Pages come and go; what has ended is nobody's any more.
  const tidy = store.db
    .deleteFrom('tokens')
    .where('tenant_id', '=', maker.tenantId)
    .where('kind', 'in', ['session', 'session-code'])
    .where('expires_at', '<=', databaseClock(store.dialect))
    .compile();
  await store.commit({ statements: [{ query: tidy }, { query: insert, expectRows: 1 }] });
  return { code, expiresAt };
}

/**
 * Opens the session of a code; undefined when the code is unknown, was used or has expired. The code ends in the commit that makes
 * the session: of two who come with it one gets in. If we die after it the session is held by nobody, and another code is needed.
 */
export async function openSession(options: {
  store: Store;
  code: string;
  lifetimeMs: number;
}): Promise<(CreatedToken & { scopes: string[]; expiresAt: number }) | undefined> {
  const { store, code, lifetimeMs } = options;
  if (!CODE.test(code)) return undefined;
  const now = databaseClock(store.dialect);
  const row = await store.db
    .selectFrom('tokens')
    .selectAll()
    .where('token_id', '=', idOfCode(code))
    .where('kind', '=', 'session-code')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || !(await findGoodMakers(store, [row]))(row)) return undefined;
  const expiresAt = (await store.now()) + lifetimeMs;
  const scopes = JSON.parse(row.scopes) as string[];
  const { statement, created } = planToken({
    ...{ store, tenantId: row.tenant_id, name: row.name, scopes, run: row.run, expiresAt, kind: 'session' },
  });
  const spend = store.db
    .deleteFrom('tokens')
    .where('tenant_id', '=', row.tenant_id)
    .where('token_id', '=', row.token_id)
    .where('kind', '=', 'session-code')
    .compile();
  try {
    await store.commit({ statements: [{ query: spend, expectRows: 1 }, statement] });
  } catch (error) {
    if (StaleWriteError.isInstance(error)) return undefined;
    throw error;
  }
  return { ...created, scopes, expiresAt };
}

/** Lets a session that is in use live longer, from now on. One that has ended stays so. */
export async function renewSession(options: {
  store: Store;
  tenantId: string;
  tokenId: string;
  lifetimeMs: number;
}): Promise<void> {
  const { store, tenantId, tokenId, lifetimeMs } = options;
  const now = databaseClock(store.dialect);
  await store.db
    .updateTable('tokens')
    .set((eb) => ({ expires_at: eb(now, '+', lifetimeMs), last_used_at: now }))
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .where('kind', '=', 'session')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .execute();
}

type OfMaker = Pick<TokensTable, 'tenant_id' | 'name'>;

/** Tells of each of these sessions whether the token behind it is still good. */
export async function findGoodMakers(
  store: Store,
  sessions: readonly OfMaker[],
): Promise<(session: OfMaker) => boolean> {
  const makers = new Set(sessions.flatMap(({ name }) => makerOf(name) ?? []));
  if (makers.size === 0) return () => false;
  const now: RawBuilder<number> = databaseClock(store.dialect);
  const rows = await store.db
    .selectFrom('tokens')
    .select(['tenant_id', 'token_id'])
    .where('token_id', 'in', [...makers])
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute();
  const good = new Set(rows.map((row) => `${row.tenant_id} ${row.token_id}`));
  return ({ tenant_id: tenant, name }) => good.has(`${tenant} ${makerOf(name)}`);
}
