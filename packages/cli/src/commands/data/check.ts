import { checkRecords, IMPORT_FORMATS } from '@lachesis/data';
import type { DataRecord, DatasetReport } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { checkTemplateTools, loadTokenizer, renderMessages, type Tokenizer } from '@lachesis/sdk/render';
import { defineCommand } from 'citty';
import { existsSync } from 'node:fs';
import { readFileRows } from './read-file-rows.ts';
import { readNumber } from '../../flags/read-value.ts';
import { tenantFlags, withLibrary } from '../../flags/library/library.ts';
import { fail } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = {
  ...tenantFlags,
  what: { type: 'positional', required: true, description: 'a file, or a data set: name or name@version' },
  format: { type: 'string', description: `of the file: ${IMPORT_FORMATS.join(', ')} (default: found by the file)` },
  context: { type: 'string', default: '8192', description: 'the longest row the trainer takes, in tokens' },
  tokenizer: {
    type: 'string',
    description:
      'folder or name of the tokenizer that counts and whose chat template is checked for tools; lengths of text are estimated without it',
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
    await withLibrary(args, async (library) => {
      const unread: string[] = [];
      const report = await check(library, { ...args, contextTokens }, unread);
      if (args.json === true) writeJson({ ...report, unread });
      else process.stdout.write(describe(report, unread));
      if (unread.length > 0 || report.findings.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });
  },
});

/** A set is checked where it is. A file is read here, and so are rows that a tokenizer of this machine counts. */
async function check(
  library: LibraryClient,
  options: { what: string; format?: string | undefined; tokenizer?: string | undefined; contextTokens: number },
  unread: string[],
): Promise<DatasetReport> {
  const { what, format, tokenizer, contextTokens } = options;
  const isFile = existsSync(what);
  if (!isFile && (await library.readDataset(what)) === undefined)
    fail(`there is no file or data set ${what}. \`lachesis data sets list\` shows them.`);
  if (!isFile && tokenizer === undefined) return await library.checkDataset(what, { context: contextTokens });
  const loaded = tokenizer === undefined ? undefined : await loadTokenizer({ model: tokenizer });
  return await checkRecords(isFile ? readRecords(what, format, unread) : library.readDatasetRows(what), {
    contextTokens,
    ...(loaded === undefined
      ? {}
      : {
          countTokens: createCounter(loaded),
          template: { drops: checkTemplateTools(loaded).drops, place: loaded.place },
        }),
    findHeldOut: (digests) => library.findHeldOut(digests),
  });
}

async function* readRecords(path: string, format: string | undefined, unread: string[]): AsyncGenerator<DataRecord> {
  for await (const result of readFileRows(path, format)) {
    if ('record' in result) yield result.record;
    else unread.push(`${result.problem.at}: ${result.problem.reason}`);
  }
}

function createCounter(tokenizer: Tokenizer): (record: DataRecord) => Promise<number> {
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

function describe(report: DatasetReport, unread: readonly string[]): string {
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
