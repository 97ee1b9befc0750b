import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { exportAudit, listAudit } from '@lachesis/store';
import { defineCommand } from 'citty';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { auditPlaceFlags, withAudit } from './open-audit.ts';
import { readTime } from '../../flags/read-time.ts';
import { recordLocalAction } from '../../flags/library/record-local-action.ts';

const flags = {
  since: { type: 'string', description: 'since: 30m, 12h, 7d, or a date (default: everything)' },
  output: { type: 'string', alias: 'o', description: 'file to write (default: standard output)' },
  ...auditPlaceFlags,
} as const;

export const auditExportCommand = defineCommand({
  meta: {
    name: 'export',
    description:
      'Write the log as lines of JSON with their signatures. It verifies elsewhere with the public key alone.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags({ ...flags, o: flags.output }, rawArgs);
    await withAudit(args, async ({ store, home, key }) => {
      await recordLocalAction({ store, home }, { action: 'audit export', tenantId: LOCAL_TENANT, things: {} });
      const since = args.since === undefined ? undefined : readTime('since', args.since, Date.now());
      // A part of a chain is what is newer than a line; lines that came late stand behind it all the same.
      const fitting =
        since === undefined ? [] : await listAudit({ store, filter: { since }, limit: Number.MAX_SAFE_INTEGER });
      const afterCursor = (fitting[0]?.cursor ?? 1) - 1;
      const out = args.output === undefined ? process.stdout : createWriteStream(args.output, { mode: 0o600 });
      for await (const line of exportAudit({ store, key, afterCursor, now: Date.now })) {
        if (!out.write(`${line}\n`)) await once(out, 'drain');
      }
      if (out !== process.stdout) {
        out.end();
        await once(out, 'close');
      }
    });
  },
});
