import { expect, it } from 'vitest';
import { identifyLibrary } from './identify-library.ts';

const identify = (databaseUrl: string): string => identifyLibrary({ home: '.', databaseUrl });

it('is the same for the servers of one database in any order, and another for another database', () => {
  const both = identify('postgres://me:secret@db1:5432,db2:5433/rep');
  expect(identify('postgres://you@db2:5433,db1:5432/rep?target_session_attrs=read-write')).toBe(both);
  expect(identify('postgres://me@db1:5432/rep')).not.toBe(both);
  expect(identify('postgres://me@db1:5432,db2:5433/other')).not.toBe(both);
});
