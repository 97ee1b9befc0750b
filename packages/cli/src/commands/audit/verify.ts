import { readAuditAnchor, toAuditAnchor, verifyAudit, verifyAuditExport, type AuditPublicKey } from '@lachesis/store';
import { defineCommand } from 'citty';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { needFile } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { auditPlaceFlags, jsonFlag, readKeyFiles, withAudit } from './open-audit.ts';

type AuditAnchor = NonNullable<Awaited<ReturnType<typeof readAuditAnchor>>>;
type AuditVerdict = Awaited<ReturnType<typeof verifyAudit>>;

const flags = {
  file: {
    type: 'string',
    description: 'an export instead of the log of this machine; no database is opened with --key',
  },
  against: { type: 'string', description: 'an export that left before: the log must still hold what was in it' },
  key: { type: 'string', description: 'files of public keys, separated by commas, besides the key of the home' },
  ...auditPlaceFlags,
  ...jsonFlag,
} as const;

export const auditVerifyCommand = defineCommand({
  meta: {
    name: 'verify',
    description: 'Say whether the log is as it was written. Ends with 1 and names the first line that is not.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const given = await readKeyFiles(args.key);
    const isJson = args.json === true;
    if (args.file !== undefined) needFile(args.file, '--file');
    if (args.against !== undefined) needFile(args.against, '--against');
    if (args.file !== undefined && given.length > 0) return report(await verifyFile(args.file, given), isJson);
    await withAudit(args, async ({ store, home, key }) => {
      const keys = [key, ...given];
      if (args.file !== undefined) return report(await verifyFile(args.file, keys), isJson);
      const remembered = await readAuditAnchor(home);
      const anchors: AuditAnchor[] = remembered === undefined ? [] : [remembered];
      if (args.against !== undefined) {
        const earlier = await verifyFile(args.against, keys);
        if (!earlier.ok) fail(`${args.against} does not verify itself: line ${earlier.cursor}: ${earlier.reason}.`);
        const anchor = toAuditAnchor(earlier, args.against);
        if (anchor !== undefined) anchors.push(anchor);
      }
      report(await verifyAudit({ store, keys, anchors }), isJson);
    });
  },
});

async function verifyFile(path: string, keys: readonly AuditPublicKey[]): Promise<AuditVerdict> {
  const input = createReadStream(path);
  const opened = new Promise<void>((resolve, reject) => {
    input.once('open', () => resolve());
    input.once('error', reject);
  });
  await opened.catch((error: unknown) =>
    fail(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`),
  );
  return await verifyAuditExport({ lines: createInterface({ input, crlfDelay: Infinity }), keys });
}

function report(verdict: AuditVerdict, isJson: boolean): void {
  if (isJson) process.stdout.write(`${JSON.stringify(verdict)}\n`);
  else if (!verdict.ok) process.stdout.write(`line ${verdict.cursor}: ${verdict.reason}\n`);
  else if (verdict.lines === 0) process.stdout.write('nothing is written down yet\n');
  else {
    const { lines, from, to } = verdict;
    process.stdout.write(
      `${lines} lines, ${from.cursor + 1} to ${to.cursor}, are as they were written; the last hash is ${to.hash}\n`,
    );
  }
  process.exitCode = verdict.ok ? EXIT_CODES.done : EXIT_CODES.failed;
}
