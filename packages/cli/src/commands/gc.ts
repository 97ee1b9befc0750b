import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { collectHomeOrphans, findRun, keepPayloads, openHome, retainPayloads } from '@lachesis/store';
import { defineCommand } from 'citty';
import { readStorePlace } from '../flags/library/open-local-store.ts';
import { storePlaceFlags } from '../flags/library/store-place-flags.ts';
import { readNumber } from '../flags/read-value.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { fail } from '../terminal/fail.ts';
import { formatBytes } from '../terminal/format-bytes.ts';
import { writeJson } from '../terminal/screen.ts';

/** Pieces of a data set that is being sent wait so long for the version that is made of them. */
const GRACE_MS = 24 * 60 * 60_000;

const flags = {
  'dry-run': { type: 'boolean', description: 'say what would go, and let go of nothing' },
  run: { type: 'string', description: 'with --keep-payloads: the run of which that is true from now on' },
  'keep-payloads': {
    type: 'string',
    description: 'days that payloads of the run are kept after their step, or `all` (default: all of every run)',
  },
  ...storePlaceFlags,
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const gcCommand = defineCommand({
  meta: {
    name: 'gc',
    description: 'Let go of payloads that runs no longer keep, and of those that nothing refers to.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const place = readStorePlace(args);
    if ((args.run === undefined) !== (args['keep-payloads'] === undefined)) {
      fail('give --run and --keep-payloads together: lachesis gc --run 3f2a --keep-payloads 30.');
    }
    await using home = await openHome(place);
    const { store } = home;
    if (args.run !== undefined && args['keep-payloads'] !== undefined) {
      const found = await findRun({ store, tenantId: LOCAL_TENANT, name: args.run });
      if (found === undefined)
        fail(`there is no run ${args.run} with payloads. \`lachesis runs list\` shows the runs.`);
      const days = args['keep-payloads'] === 'all' ? null : readNumber('keep-payloads', args['keep-payloads']);
      await keepPayloads({ store, tenantId: LOCAL_TENANT, runId: found.runId, days });
      const said = days === null ? 'keeps all payloads' : `keeps payloads for ${days} days after their step`;
      process.stdout.write(`${args.run} ${said}; \`lachesis gc\` and the control server let go of the others\n`);
      return;
    }
    const isDryRun = args['dry-run'] === true;
    const { blobs } = await home.serveBlobs();
    const retained = await retainPayloads({ store, blobs, isDryRun });
    const orphans = await collectHomeOrphans({ home: { store, blobs }, graceMs: GRACE_MS, isDryRun });
    if (args.json === true) {
      writeJson({
        dry_run: isDryRun,
        retention: retained,
        unreferenced: { payloads: orphans.removedBlobs, bytes: orphans.removedBytes },
      });
      return;
    }
    const verb = isDryRun ? 'would go' : 'are gone';
    process.stdout.write(
      `payloads of ${retained.steps} steps of ${retained.runs} runs (${formatBytes(retained.bytes)}), past what the runs keep, ${verb}\n` +
        `${orphans.removedBlobs} payloads (${formatBytes(orphans.removedBytes)}) that nothing refers to ${verb}\n`,
    );
  },
});
