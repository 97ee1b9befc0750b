import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { openStore } from '../database/open-store.ts';

/** Schemas of one test run begin like this, which is how the end of the run finds those that wait to be used again. */
export const SCHEMA_PREFIX = `store_${process.env['LACHESIS_TEST_RUN'] ?? process.pid}_`;

/** A schema this large is not used again: rows that were deleted still have to be passed by whoever reads the table. */
const MAX_REUSED_BYTES = 16_000_000;

export interface MigratedSchema {
  readonly url: string;
  /** For the next test, when the tables are as the migrations made them; the rows are deleted. */
  giveBack(): Promise<void>;
}

interface Schema {
  readonly name: string;
  /** The tables, columns, indexes and constraints that the migrations made. */
  readonly shape: string;
  /** The newest first: a table refers to older ones only, so this is the order in which rows can be deleted. */
  readonly tables: readonly string[];
}

/** Migrated, without a row, and in nobody's hands. Making one takes as long as a whole test. */
const idle: Schema[] = [];

/** A schema that has every table and no row; another test of this thread may have used it before. */
export async function takeSchema(databaseUrl: string): Promise<MigratedSchema> {
  const schema = idle.pop() ?? (await migrateSchema(databaseUrl));
  return {
    url: addressSchema(databaseUrl, schema.name),
    async giveBack() {
      const isClean = await withClient(databaseUrl, (client) => cleanSchema(client, schema));
      if (isClean) idle.push(schema);
      else await dropSchema(databaseUrl, schema.name);
    },
  };
}

export function addressSchema(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c search_path=${name}`);
  return url.href;
}

export async function createSchema(databaseUrl: string): Promise<string> {
  const name = `${SCHEMA_PREFIX}${randomBytes(8).toString('hex')}`;
  await withClient(databaseUrl, (client) => client.query(`create schema ${name}`));
  return name;
}

export async function dropSchema(databaseUrl: string, name: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(`drop schema ${name} cascade`));
}

async function migrateSchema(databaseUrl: string): Promise<Schema> {
  const name = await createSchema(databaseUrl);
  const store = await openStore({ databaseUrl: addressSchema(databaseUrl, name) });
  await store.close();
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' and relname <> 'migrations' order by oid desc`,
      [name],
    );
    return { name, shape: await readShape(client, name), tables: rows.map((row) => row.name) };
  });
}

/** False when a test has left other tables than it found, or so many rows that a new schema is quicker. */
async function cleanSchema(client: Client, { name, shape, tables }: Schema): Promise<boolean> {
  const { rows } = await client.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`,
    [name],
  );
  if (Number(rows[0]?.bytes) > MAX_REUSED_BYTES) return false;
  if ((await readShape(client, name)) !== shape) return false;
  await client.query(tables.map((table) => `delete from ${name}.${table}`).join(';'));
  return true;
}

async function readShape(client: Client, schema: string): Promise<string> {
  const { rows } = await client.query<{ shape: string }>(
    `select md5(string_agg(line, ';' order by line)) as shape from (
       select c.relname || '.' || a.attname || ' ' || a.atttypid || ' ' || a.attnotnull || ' ' || a.attisdropped as line
         from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relnamespace = $1::regnamespace
       union all select indexdef from pg_indexes where schemaname = $1::regnamespace::text
       union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = $1::regnamespace
       union all select proname from pg_proc where pronamespace = $1::regnamespace
       union all select to_jsonb(m)::text from ${schema}.migrations m
     ) lines`,
    [schema],
  );
  return rows[0]?.shape ?? '';
}

async function withClient<T>(databaseUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
