import { listAudit } from '@lachesis/store';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { cleanLine } from '../../terminal/clean-text.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { auditPlaceFlags, jsonFlag, withAudit } from './open-audit.ts';
import { readTime } from '../../flags/read-time.ts';

type AuditLine = Awaited<ReturnType<typeof listAudit>>[number];

const flags = {
  since: { type: 'string', description: 'since: 30m, 12h, 7d, or a date' },
  tenant: { type: 'string', description: 'only those of this tenant' },
  token: { type: 'string', description: 'by this token, or about it: the id that `token list` shows' },
  action: { type: 'string', description: 'with this in its action: token, DELETE, /v1/trajectories' },
  refused: { type: 'boolean', description: 'only what was refused' },
  limit: { type: 'string', description: 'the newest so many (default 50)' },
  ...auditPlaceFlags,
  ...jsonFlag,
} as const;

const DEFAULT_LIMIT = 50;

export const auditListCommand = defineCommand({
  meta: { name: 'list', description: 'Show who did what, on which thing, from where, with which result. Newest last.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const limit = args.limit === undefined ? DEFAULT_LIMIT : Number(args.limit);
    if (!Number.isSafeInteger(limit) || limit < 1) fail(`--limit wants a whole number, and ${args.limit} was given.`);
    await withAudit(args, async ({ store }) => {
      const lines = await listAudit({
        store,
        limit,
        filter: {
          since: args.since === undefined ? undefined : readTime('since', args.since, Date.now()),
          tenantId: args.tenant,
          tokenId: args.token,
          action: args.action,
          isRefused: args.refused === true,
        },
      });
      if (args.json !== true && lines.length === 0) process.stderr.write('nothing is written down that fits\n');
      for (const line of lines) {
        process.stdout.write(`${args.json === true ? JSON.stringify(line) : describe(line)}\n`);
      }
    });
  },
});

/** One line for people. Everything in it is an id or a word of ours; a changed database might hold anything. */
function describe(line: AuditLine): string {
  const who = `${line.tenantId === '' ? '-' : line.tenantId}/${line.tokenId ?? (line.tenantId === '' ? '?' : 'local')}`;
  const things = Object.entries(line.things).map(([name, value]) => `${name}=${value}`);
  const result = line.status === undefined ? line.result : `${line.status} ${line.result}`;
  const many = line.until === undefined ? [] : [`×${line.count} until ${new Date(line.until).toISOString()}`];
  const parts = [
    ...[`${line.cursor}`, new Date(line.at).toISOString(), who, line.action, ...things],
    ...[`from ${line.from} (${line.by})`, result, ...many],
  ];
  return parts.map((part) => cleanLine(part)).join('  ');
}
