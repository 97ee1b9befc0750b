import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import pg from 'pg';

const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/lachesis-compiled', import.meta.url));

/**
 * Gives the test run a mark that the names of its PostgreSQL schemas begin with, and drops them at its end: tests hand
 * a migrated schema on to the next one, so the last user is not known before.
 */
export default function setUpTestRun(): () => Promise<void> {
  // Commands are started from their sources hundreds of times, and half of a start is reading and compiling them.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED;
  // Tests that mean a hub have one of their own; what a machine can reach or has in its cache decides nothing.
  process.env['HF_HUB_OFFLINE'] = '1';
  const mark = randomBytes(4).toString('hex');
  process.env['LACHESIS_TEST_RUN'] = mark;
  return async () => {
    const url = process.env['DATABASE_URL_TEST'];
    if (url !== undefined && url !== '') await dropSchemas(url, `store_${mark}_`);
  };
}

async function dropSchemas(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'select nspname as name from pg_namespace where starts_with(nspname, $1)',
      [prefix],
    );
    for (const { name } of rows) await client.query(`drop schema ${pg.escapeIdentifier(name)} cascade`);
  } finally {
    await client.end();
  }
}
