import { LachesisError } from '@lachesis/protocol';
import { layOutFiles, type BlobStore, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is installed beside lachesis by whoever asks; a test holds it to package.json. */
export const DUCKDB = '@duckdb/node-api@1.5.6-r.1';

/** Rows of an answer; more are counted and not given. */
const MOST_ROWS = 1_000;

export interface FilesAnswer {
  columns: string[];
  /** Values as JSON has them: whole numbers beyond what JSON holds are texts. */
  rows: Record<string, unknown>[];
  /** Rows that were left out. */
  left: number;
}

/**
 * Answers a question in SQL about what left the database: the views `turns` and `groups`, and `trajectories` with a row for every
 * recorded conversation. The files are fetched first.
 */
export async function askFiles(options: {
  store: Store;
  blobs: Pick<BlobStore, 'get'>;
  tenantId: string;
  sql: string;
  /** At most so many rows. */
  limit?: number;
  onFetched?: (files: { files: number; bytes: number }) => void;
}): Promise<FilesAnswer> {
  const { sql, limit = MOST_ROWS } = options;
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((cause: unknown) => {
    throw new LachesisError({
      code: 'unavailable',
      message: 'the package @duckdb/node-api, which answers the question, is not there',
      hint: `Install it beside lachesis: npm install ${DUCKDB}`,
      cause,
    });
  });
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-files-'));
  try {
    const laid = await layOutFiles({ ...options, folder });
    options.onFetched?.({ files: laid.turns.length + laid.groups.length - 2, bytes: laid.bytes });
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      for (const kind of ['turns', 'groups', 'trajectories'] as const) {
        const paths = laid[kind].map((path) => `'${path.replaceAll("'", "''")}'`);
        await connection.run(`create view ${kind} as select * from read_parquet([${paths.join(', ')}])`);
      }
      const reader = await connection.runAndReadAll(sql);
      const rows = reader.getRowObjectsJson() as Record<string, unknown>[];
      return { columns: reader.columnNames(), rows: rows.slice(0, limit), left: Math.max(0, rows.length - limit) };
    } catch (error) {
      const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n\nLINE ');
      throw new LachesisError({
        code: 'invalid',
        message: `the question was not understood: ${said.replaceAll('\n', ' ')}`,
        hint: 'It is DuckDB’s SQL over the views turns, groups and trajectories; `describe turns` lists the columns of one.',
        cause: error,
      });
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
