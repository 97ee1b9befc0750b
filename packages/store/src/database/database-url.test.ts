import { expect, it } from 'vitest';
import { openStore } from './open-store.ts';
import { findDatabaseUrlFault, listDatabaseAddresses, redactDatabaseUrl } from './database-url.ts';

const SECRET = ['S3cret', 'Passw0rd'].join('-');

it.each([
  [`postgres://me:${SECRET}@db1:5432,db2:99999/rep`, /cannot be read/],
  [`postgres://me:${SECRET}@db1:5432,db2:5432/rep?target_session_attrs=standby`, /has to be written/],
  [`postgres:///rep?host=db1,db2&password=${SECRET}`, /several hosts behind host=/],
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
    `postgres://me:${SECRET}@db1:5432,db2:5433/rep?target_session_attrs=read-write`,
  ]) {
    expect(findDatabaseUrlFault(url)).toBeUndefined();
    expect(redactDatabaseUrl(url)).not.toContain(SECRET);
  }
  expect(redactDatabaseUrl('postgres://host:5432/rep')).toBe('postgres://host:5432/rep');
  expect(redactDatabaseUrl(`postgres://me:a@${SECRET}@host/rep`)).toBe('postgres://[redacted]@host/rep');
});

it('tells the servers of an address apart', () => {
  expect(listDatabaseAddresses('postgres://me:a,b@db1,db2:5433,[::1]:5434/rep?sslmode=require')).toEqual([
    'postgres://me:a,b@db1/rep?sslmode=require',
    'postgres://me:a,b@db2:5433/rep?sslmode=require',
    'postgres://me:a,b@[::1]:5434/rep?sslmode=require',
  ]);
  expect(listDatabaseAddresses('postgres://me:a,b@db1/rep')).toEqual(['postgres://me:a,b@db1/rep']);
});
