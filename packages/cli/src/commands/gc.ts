import { LOCAL_TENANT } from '@lachesis/protocol/names';
import {
  collectHomeOrphans,
  findRun,
  findTrainingRun,
  KEPT_KINDS,
  listKeepPolicies,
  openHome,
  retain,
  writeKeepPolicy,
  type KeepPolicy,
  type RetentionReport,
  type Store,
} from '@lachesis/store';
import { defineCommand } from 'citty';
import { constants, setPriority } from 'node:os';
import { readStorePlace } from '../flags/library/open-local-store.ts';
import { storePlaceFlags } from '../flags/library/store-place-flags.ts';
import { readWholeNumber } from '../flags/read-value.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { fail } from '../terminal/fail.ts';
import { formatBytes } from '../terminal/format-bytes.ts';
import { writeJson } from '../terminal/screen.ts';

/** Pieces of a data set that is being sent wait so long for the version that is made of them. */
const GRACE_MS = 24 * 60 * 60_000;

const flags = {
  'dry-run': { type: 'boolean', description: 'say what would go, and let go of nothing' },
  run: { type: 'string', description: 'with --keep-…: the run of which that is true from now on (default: every run)' },
  'keep-payloads': { type: 'string', description: 'days that payloads are kept after their step, or `all` (default)' },
  'keep-history': {
    type: 'string',
    description: 'days that rows of groups and batches are kept after they were settled, or `all` (default)',
  },
  'keep-events': { type: 'string', description: 'days that the events of runs are kept, or `all` (default)' },
  'keep-keys': { type: 'string', description: 'days that the idempotency keys of pushes are kept, or `all` (default)' },
  'keep-records': { type: 'string', description: 'days that recorded conversations are kept, or `all` (default)' },
  'keep-hot': {
    type: 'string',
    description:
      'days that contents of conversations and rows of settled groups stay in the database; then they are Parquet files among the payloads (default: `all` stays)',
  },
  ...storePlaceFlags,
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const gcCommand = defineCommand({
  meta: {
    name: 'gc',
    description: 'Let go of what runs no longer keep, and of payloads that nothing refers to.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const place = readStorePlace(args);
    const policy = readPolicy(args);
    if (args.run !== undefined && policy === undefined) {
      fail('say what the run keeps: lachesis gc --run 3f2a --keep-payloads 30.');
    }
    await using home = await openHome(place);
    const { store } = home;
    if (policy !== undefined) {
      await keep(store, args.run, policy);
      const said = describePolicy(policy);
      if (args.json === true) writeJson({ run: args.run ?? null, keeps: policy });
      else
        process.stdout.write(
          `${args.run ?? 'every run without a policy of its own'} keeps ${said}; \`lachesis gc\` and the control server let go of the rest\n`,
        );
      return;
    }
    const isDryRun = args['dry-run'] === true;
    // Whoever serves on the same machine comes first.
    setPriority(constants.priority.PRIORITY_LOW);
    const { blobs } = await home.serveBlobs();
    const retained = await retain({ store, blobs, isDryRun });
    const orphans = await collectHomeOrphans({ home: { store, blobs }, graceMs: GRACE_MS, isDryRun });
    const policies = await listKeepPolicies(store);
    if (args.json === true) {
      writeJson({
        dry_run: isDryRun,
        policies: policies.map(({ runId, policy: keeps }) => ({ run_id: runId ?? null, keeps })),
        retention: retained,
        unreferenced: { payloads: orphans.removedBlobs, bytes: orphans.removedBytes },
      });
      return;
    }
    const verb = isDryRun ? 'would go' : 'are gone';
    const hint =
      policies.length > 0
        ? ''
        : 'nothing goes by its age yet: `lachesis gc --keep-payloads 30` says how long it stays\n';
    process.stdout.write(
      hint +
        `${describeRetention(retained, isDryRun)}\n` +
        `${orphans.removedBlobs} payloads (${formatBytes(orphans.removedBytes)}) that nothing refers to ${verb}\n`,
    );
  },
});

function readPolicy(args: Partial<Record<`keep-${keyof KeepPolicy}`, string | undefined>>): KeepPolicy | undefined {
  const said = KEPT_KINDS.flatMap((kind) => {
    const value = args[`keep-${kind}`];
    const days = value === 'all' ? null : readWholeNumber(`keep-${kind}`, value, 'a whole number of days, or all');
    return days === undefined ? [] : [[kind, days] as const];
  });
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** A run is known to the loop by its queue and to the supervisor by its training; both have events. */
async function keep(store: Store, name: string | undefined, policy: KeepPolicy): Promise<void> {
  const tenantId = LOCAL_TENANT;
  if (name === undefined) return await writeKeepPolicy({ store, tenantId, policy });
  const found = [
    await findRun({ store, tenantId, name }),
    await findTrainingRun({ store, tenantId, shortId: name }),
  ].filter((run) => run !== undefined);
  if (found.length === 0) fail(`there is no run ${name}. \`lachesis runs list\` shows the runs.`);
  for (const runId of new Set(found.map((run) => run.runId))) await writeKeepPolicy({ store, tenantId, runId, policy });
}

const describePolicy = (policy: KeepPolicy): string =>
  Object.entries(policy)
    .map(([kind, days]) => {
      const what = kind === 'hot' ? 'contents in the database' : kind;
      return days === null ? `all ${what}` : `${what} for ${days} days`;
    })
    .join(', ');

function describeRetention(report: RetentionReport, isDryRun: boolean): string {
  const verb = isDryRun ? 'would go' : 'are gone';
  const { steps, groups, batches, keys, events, records, cold, coldGroups } = report;
  const gone = Object.entries({
    'steps’ payloads': steps,
    groups,
    batches,
    keys,
    events,
    'recorded conversations': records,
  }).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  const moved = cold + coldGroups;
  const left = isDryRun ? 'would leave' : 'left';
  const files =
    moved === 0
      ? ''
      : `${left} the database for files, and read as before: ${cold} recorded conversations, ${coldGroups} groups\n`;
  if (gone.length === 0) return `${files}nothing is older than it is kept`;
  return `${files}${gone.join(', ')} (${formatBytes(report.bytes)} of payloads) of ${report.runs} runs, older than they are kept, ${verb}`;
}
