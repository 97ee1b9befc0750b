import { checkRecords, type TrainabilityReport } from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { findHeldOut } from '@lachesis/store';
import { defineCommand } from 'citty';
import { existsSync } from 'node:fs';
import { READ_FORMATS, readFileRows } from './formats.ts';
import { failWithSentence } from '../../terminal/fail.ts';
import { localLibraryFlags, withLocalLibrary } from '../../flags/library/local-library.ts';
import { readNumber } from '../../flags/read-value.ts';
import { requireDataset, readSetRows } from './rows.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = {
  ...localLibraryFlags,
  what: { type: 'positional', required: true, description: 'a file, or a data set: name or name@version' },
  format: { type: 'string', description: `of the file: ${READ_FORMATS.join(', ')} (default: found by the file)` },
  context: { type: 'string', default: '8192', description: 'the longest row the trainer takes, in tokens' },
  tokenizer: {
    type: 'string',
    description: 'folder or name of the tokenizer that counts; lengths of text are estimated without it',
  },
} as const;

export const dataCheckCommand = defineCommand({
  meta: {
    name: 'check',
    description: 'Say what would go wrong in training: which rows, and what to do. Ends with 1 when there are errors.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const contextTokens = readNumber('context', args.context);
    await withLocalLibrary(args, async (library) => {
      const unread: string[] = [];
      const rows = existsSync(args.what)
        ? readRecords(args.what, args.format, unread)
        : readSetRows(library, await requireDataset(library, args.what, 'file or data set'));
      const report = await checkRecords(rows, {
        contextTokens,
        ...(args.tokenizer === undefined ? {} : { countTokens: await createCounter(args.tokenizer) }),
        findHeldOut: (digests) => findHeldOut({ store: library.store, tenantId: library.tenantId, digests }),
      });
      process.stdout.write(
        args.json === true ? `${JSON.stringify({ ...report, unread })}\n` : describe(report, unread),
      );
      if (unread.length > 0 || report.findings.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    }).catch(failWithSentence);
  },
});

async function* readRecords(path: string, format: string | undefined, unread: string[]): AsyncGenerator<DataRecord> {
  for await (const result of readFileRows(path, format)) {
    if ('record' in result) yield result.record;
    else unread.push(`${result.problem.at}: ${result.problem.reason}`);
  }
}

async function createCounter(place: string): Promise<(record: DataRecord) => Promise<number>> {
  const tokenizer = await loadTokenizer({ model: place });
  const count = async (messages: object[]): Promise<number> =>
    (await renderMessages({ tokenizer, messages: messages as Parameters<typeof renderMessages>[0]['messages'] })).tokens
      .length;
  return async (record) =>
    record.kind === 'conversation'
      ? count(record.messages)
      : Math.max(
          await count([...record.prompt, ...record.chosen]),
          await count([...record.prompt, ...record.rejected]),
        );
}

function describe(report: TrainabilityReport, unread: readonly string[]): string {
  const lines = [`${report.row_count} rows, ${report.trainable_count} without an error`];
  if (unread.length > 0)
    lines.push('', `error  ${unread.length} rows could not be read`, ...unread.slice(0, 10).map((line) => `  ${line}`));
  for (const finding of report.findings) {
    lines.push('', `${finding.severity}  ${finding.class}: ${finding.count} rows. ${finding.what}`);
    for (const { row, id, detail } of finding.rows.slice(0, 5)) lines.push(`  row ${row} (${id}): ${detail}`);
    if (finding.count > 5) lines.push(`  … --json names more`);
    lines.push(`  → ${finding.fix}`);
  }
  if (report.findings.length === 0 && unread.length === 0)
    lines.push(`nothing found by ${report.checked.length} checks`);
  return `${lines.join('\n')}\n`;
}
