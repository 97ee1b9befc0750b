import type { DataRecord } from '@lachesis/protocol';
import { digestRecord } from '@lachesis/store';
import { allChecks } from './all-checks.ts';
import type { Check, CheckedRow, CheckOptions, DefectClass, RowFinding, Severity } from './check.ts';
import { readDialogues, readText } from './read-dialogue.ts';

/** The length of the recipes that hand-offs write. */
const CONTEXT_TOKENS = 8_192;

/** Rows named in a finding; the others are counted. */
const ROWS_NAMED = 20;

/** Rows whose digests are asked for at once. */
const ROWS_AT_ONCE = 500;

/** English in the tokenizers of today has about four characters to a token; other scripts have fewer. */
const CHARACTERS_PER_TOKEN = 4;

export interface CheckRecordsOptions {
  /** The longest row the trainer takes, in tokens: 8192 unless told. */
  contextTokens?: number;
  /** Counts the tokens of a row that has none. Without it they are estimated, and the finding says so. */
  countTokens?: (record: DataRecord) => Promise<number> | number;
  /** Which of these digests are in a held-out set. Without it nothing is looked for. */
  findHeldOut?: (digests: string[]) => Promise<{ digest: string; dataset: string }[]>;
  /** What the model's chat template leaves out. Without it nothing is said of tools. */
  template?: CheckOptions['template'];
  checks?: readonly Check[];
  rowsNamed?: number;
}

export interface Finding {
  class: DefectClass;
  severity: Severity;
  what: string;
  fix: string;
  count: number;
  /** The first of them. */
  rows: RowFinding[];
}

export interface TrainabilityReport {
  row_count: number;
  /** Rows that no error names. */
  trainable_count: number;
  checked: DefectClass[];
  /** Held-out sets were not looked at when nobody said where they are. */
  held_out_checked: boolean;
  findings: Finding[];
}

/** Reads rows once and says what would go wrong in training, by class, with the rows and what to do. */
export async function checkRecords(
  records: Iterable<DataRecord> | AsyncIterable<DataRecord>,
  options: CheckRecordsOptions = {},
): Promise<TrainabilityReport> {
  const { contextTokens = CONTEXT_TOKENS, checks = allChecks, rowsNamed = ROWS_NAMED } = options;
  const running = checks.map((check) => ({
    check,
    state: check.start({ contextTokens, template: options.template }),
    count: 0,
    lastRow: -1,
    rows: [] as RowFinding[],
  }));
  const faulty = new Set<number>();
  const note = (entry: (typeof running)[number], finding: RowFinding): void => {
    // A row with three empty replies is one row of that class.
    if (entry.lastRow !== finding.row) entry.count += 1;
    entry.lastRow = finding.row;
    if (entry.rows.length < rowsNamed) entry.rows.push(finding);
    if (entry.check.severity === 'error') faulty.add(finding.row);
  };
  let rowCount = 0;
  for await (const rows of readInPieces(records, options)) {
    for (const row of rows) {
      rowCount += 1;
      for (const entry of running) {
        for (const detail of entry.state.see(row)) note(entry, { row: row.index, id: row.record.id, detail });
      }
    }
  }
  for (const entry of running) for (const finding of entry.state.end?.() ?? []) note(entry, finding);
  return {
    row_count: rowCount,
    trainable_count: rowCount - faulty.size,
    checked: checks.map(({ name }) => name),
    held_out_checked: options.findHeldOut !== undefined,
    findings: running
      .filter(({ count }) => count > 0)
      .map(({ check, count, rows }) => ({
        class: check.name,
        severity: check.severity,
        what: check.what,
        fix: check.fix,
        count,
        rows,
      })),
  };
}

async function* readInPieces(
  records: Iterable<DataRecord> | AsyncIterable<DataRecord>,
  options: CheckRecordsOptions,
): AsyncGenerator<CheckedRow[]> {
  let piece: DataRecord[] = [];
  let index = 0;
  for await (const record of records) {
    piece.push(record);
    if (piece.length < ROWS_AT_ONCE) continue;
    yield await prepare(piece, index, options);
    index += piece.length;
    piece = [];
  }
  if (piece.length > 0) yield await prepare(piece, index, options);
}

async function prepare(
  records: readonly DataRecord[],
  firstIndex: number,
  { findHeldOut, countTokens }: CheckRecordsOptions,
): Promise<CheckedRow[]> {
  const digests = records.map((record) => digestRecord(record));
  const found = (await findHeldOut?.(digests.flatMap(({ whole, prompt }) => [whole, prompt]))) ?? [];
  const heldOut = new Map(found.map(({ digest, dataset }) => [digest, dataset]));
  return Promise.all(
    records.map(async (record, offset) => {
      const { whole, prompt } = digests[offset]!;
      return {
        index: firstIndex + offset,
        record,
        digests: { whole, prompt },
        length: await measure(record, countTokens),
        heldOut: heldOut.get(whole) ?? heldOut.get(prompt),
      };
    }),
  );
}

async function measure(
  record: DataRecord,
  countTokens: CheckRecordsOptions['countTokens'],
): Promise<CheckedRow['length']> {
  if (record.kind === 'conversation' && record.tokens !== null) {
    return { tokens: record.tokens.token_ids.length, isEstimate: false };
  }
  if (countTokens !== undefined) return { tokens: await countTokens(record), isEstimate: false };
  return { tokens: Math.max(...readDialogues(record).map(estimateTokens)), isEstimate: true };
}

function estimateTokens(messages: ReturnType<typeof readDialogues>[number]): number {
  let characters = 0;
  for (const message of messages) {
    characters += readText(message).length + (message.reasoning_content?.length ?? 0);
    for (const call of message.tool_calls ?? [])
      characters += call.function.name.length + call.function.arguments.length;
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
