import { LachesisError } from '@lachesis/protocol';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { defineCommand } from 'citty';
import { askFiles } from './ask-files.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';
import { storePlaceFlags } from '../../flags/library/store-place-flags.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { cleanText } from '../../terminal/clean-text.ts';
import { fail } from '../../terminal/fail.ts';
import { formatBytes } from '../../terminal/format-bytes.ts';
import { writeJson } from '../../terminal/screen.ts';

const flags = {
  sql: {
    type: 'positional',
    required: true,
    description:
      'a question in DuckDB’s SQL; views: turns and groups (what left the database), trajectories (all of them)',
  },
  limit: { type: 'string', description: 'rows that are printed (default 1000)' },
  ...storePlaceFlags,
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const dataQueryCommand = defineCommand({
  meta: {
    name: 'query',
    description: 'Ask a question in SQL about conversations and groups that left the database for files.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const limit = readWholeNumber('limit', args.limit);
    await using local = await openLocalStore(readStorePlace(args));
    const { store, blobs } = local;
    try {
      const { columns, rows, left } = await askFiles({
        ...{ store, blobs, tenantId: LOCAL_TENANT, sql: args.sql },
        ...(limit === undefined ? {} : { limit }),
        onFetched: ({ files, bytes }) =>
          process.stderr.write(`${files} ${files === 1 ? 'file' : 'files'} (${formatBytes(bytes)})\n`),
      });
      if (args.json === true) {
        writeJson({ columns, rows, left });
        return;
      }
      process.stdout.write(
        `${[columns, ...rows.map((row) => columns.map((name) => show(row[name])))].map((cells) => cells.join('\t')).join('\n')}\n`,
      );
      if (left > 0) process.stderr.write(`${left} more rows; --limit prints more\n`);
    } catch (error) {
      if (!LachesisError.isInstance(error)) throw error;
      fail(`${error.message}. ${error.hint ?? ''}`.trim());
    }
  },
});

/** One cell of a line that others read by its tabs. */
const show = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : cleanText(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/[\t\n]/g, ' ');
