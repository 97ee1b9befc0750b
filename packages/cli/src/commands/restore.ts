import { checkBackup, openHome, restoreBackup, verifyLibrary } from '@lachesis/store';
import { defineCommand } from 'citty';
import { readStorePlace } from '../flags/library/open-local-store.ts';
import { storePlaceFlags } from '../flags/library/store-place-flags.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { formatBytes } from '../terminal/format-bytes.ts';
import { writeJson } from '../terminal/screen.ts';

const flags = {
  verify: {
    type: 'boolean',
    description: 'check every payload, every chain of events and the audit log of the new home',
  },
  'dry-run': { type: 'boolean', description: 'check the backup and restore nothing' },
  ...storePlaceFlags,
  json: { type: 'boolean', description: 'print JSON' },
} as const;

interface Restored {
  rows: number;
  payloads: number;
  bytes: number;
  faults: string[];
  /** With --verify. */
  chains?: number;
  events?: number;
  audit_lines?: number;
}

export const restoreCommand = defineCommand({
  meta: {
    name: 'restore',
    description: 'Make a home of a backup: a new database, SQLite or PostgreSQL, and its payloads.',
  },
  args: { folder: { type: 'positional', required: true, description: 'what `lachesis backup` wrote' }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { folder } = args;
    const checked: Restored = args['dry-run'] === true ? await checkBackup(folder) : await restore(args, folder);
    const { faults, ...told } = checked;
    if (args.json === true) writeJson({ ...told, faults });
    else {
      const { rows, payloads, bytes } = told;
      process.stdout.write(`${rows} rows, ${payloads} payloads (${formatBytes(bytes)})\n`);
      const isChecked = args['dry-run'] === true || args.verify === true;
      if (isChecked && faults.length === 0) process.stdout.write('checked: all is as it was written\n');
      for (const fault of faults) process.stdout.write(`${fault}\n`);
    }
    if (faults.length > 0) process.exitCode = EXIT_CODES.failed;
  },
});

async function restore(args: Record<string, unknown>, folder: string): Promise<Restored> {
  const { home, databaseUrl } = readStorePlace(args);
  const { tables, blobs, letGo } = await restoreBackup({ folder, home, databaseUrl });
  const told = {
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    payloads: blobs.count,
    bytes: blobs.bytes,
  };
  if (args['verify'] !== true) return { ...told, faults: [] };
  await using opened = await openHome({ home, databaseUrl });
  const { faults, chains, events, auditLines } = await verifyLibrary({ ...opened, home, letGo });
  return { ...told, chains, events, audit_lines: auditLines, faults };
}
