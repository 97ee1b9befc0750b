import { checkBackup, createBackup } from '@lachesis/store';
import { defineCommand } from 'citty';
import { readStorePlace } from '../flags/library/open-local-store.ts';
import { storePlaceFlags } from '../flags/library/store-place-flags.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { formatBytes } from '../terminal/format-bytes.ts';
import { writeJson } from '../terminal/screen.ts';

const flags = {
  verify: { type: 'boolean', description: 'read all of it back and check every row file and every payload' },
  ...storePlaceFlags,
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const backupCommand = defineCommand({
  meta: {
    name: 'backup',
    description: 'Write the database and its payloads, as of one moment, to a new folder. Servers may go on.',
  },
  args: { folder: { type: 'positional', required: true, description: 'a new folder' }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { home, databaseUrl } = readStorePlace(args);
    const { tables, blobs, letGo } = await createBackup({ folder: args.folder, home, databaseUrl });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const faults = args.verify === true ? (await checkBackup(args.folder)).faults : [];
    const told = { rows, payloads: blobs.count, bytes: blobs.bytes, let_go: letGo.length };
    if (args.json === true) writeJson({ ...told, ...(args.verify === true ? { faults } : {}) });
    else {
      const gone = letGo.length === 0 ? '' : `; ${letGo.length} were let go of meanwhile`;
      process.stdout.write(`${rows} rows, ${blobs.count} payloads (${formatBytes(blobs.bytes)})${gone}\n`);
      if (args.verify === true && faults.length === 0) process.stdout.write('read back: all is as it was written\n');
      for (const fault of faults) process.stdout.write(`${fault}\n`);
    }
    if (faults.length > 0) process.exitCode = EXIT_CODES.failed;
  },
});
