import { expect, it } from 'vitest';
import { openStore } from './open-store.ts';
import { findDatabaseUrlFault, redactDatabaseUrl } from './database-url.ts';

const SECRET = ['S3cret', 'Passw0rd'].join('-');

it.each([
  [`postgres://me:${SECRET}@db1:5432,db2:5432/rep?target_session_attrs=read-write`, /several hosts/],
  [`postgres://me:${SECRET}@db1:99999/rep`, /cannot be read/],
  [`postgres://me:${SECRET}#/@host/rep`, /cannot be read/],
  [`mysql://me:${SECRET}@host/rep`, /must be a postgres/],
  [`me:${SECRET}@host`, /must be a postgres/],
])('says what is wrong with an address, without its password', async (url, fault) => {
  expect(findDatabaseUrlFault(url)).toMatch(fault);
  const error = (await openStore({ databaseUrl: url }).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ name: 'DatabaseUrlError', retryable: false });
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(SECRET);
});

it('takes what PostgreSQL takes', () => {
  for (const url of [
    `postgres://me:${SECRET}@host:5432/rep?sslmode=require`,
    `postgresql://host/rep?user=me&password=${SECRET}`,
    'postgres:///rep?host=/var/run/postgresql',
  ]) {
    expect(findDatabaseUrlFault(url)).toBeUndefined();
    expect(redactDatabaseUrl(url)).not.toContain(SECRET);
  }
  expect(redactDatabaseUrl('postgres://host:5432/rep')).toBe('postgres://host:5432/rep');
  expect(redactDatabaseUrl(`postgres://me:a@${SECRET}@host/rep`)).toBe('postgres://[redacted]@host/rep');
});
