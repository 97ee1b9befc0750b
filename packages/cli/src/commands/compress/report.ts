import type { compressFiles, analyzeFiles } from '@lachesis/data';

type CompressionOutlook = Awaited<ReturnType<typeof analyzeFiles>>;
type CompressionReport = Awaited<ReturnType<typeof compressFiles>>;

const SHOWN_FAILURES = 10;

const count = (value: number): string => value.toLocaleString('en-US');
const note = (text: string): string => `${text}\n`;

/** What a compression did, for people. */
export function describeReport({ output, metricsFile, isDone, notes, sums }: CompressionReport): string {
  const lines = [...notes];
  if (!isDone) lines.push('Ended before the last row. The same command goes on from here, and pays for nothing twice.');
  lines.push(
    `${count(sums.rows + sums.failed)} rows: ${count(sums.compressed)} compressed, ${count(sums.skipped)} short enough, ${count(sums.failed)} failed`,
    `${count(sums.tokensBefore)} tokens before, ${count(sums.tokensAfter)} after`,
  );
  if (sums.stillOver > 0)
    lines.push(`${count(sums.stillOver)} rows are still too long: what is protected in them is more than the target.`);
  if (sums.compressed > 0) {
    const mean = (sums.fidelitySum / sums.compressed).toFixed(2);
    lines.push(
      `${count(sums.calls)} calls, ${count(sums.errors)} of them failed; ${count(sums.reusedSummaries)} summaries from the journal`,
      `of tool names, arguments, decisions and numbers ${mean} can still be read (lowest row ${sums.lowestFidelity?.toFixed(2) ?? '-'})`,
    );
  }
  for (const { file, line, reason } of sums.failures.slice(0, SHOWN_FAILURES))
    lines.push(`  ${file}:${line}: ${reason}`);
  if (sums.failures.length > SHOWN_FAILURES) lines.push('  … and others, in the metrics file');
  if (sums.failed > 0)
    lines.push('Rows that failed are in the output as they were. The same command asks for them again.');
  if (isDone) lines.push(output);
  if (metricsFile !== undefined) lines.push(metricsFile);
  return lines.map(note).join('');
}

/** What it would do, for people. */
export function describeOutlook(outlook: CompressionOutlook, tokenizer: string): string {
  return [
    ...outlook.notes,
    `${count(outlook.rows)} rows with ${count(outlook.tokens)} tokens (${tokenizer})`,
    `${count(outlook.rows_over_target)} are too long: ${count(outlook.summaries)} summaries of ${count(outlook.tokens_to_summarize)} tokens, ${count(outlook.rows_stuck)} rows have nothing that may be taken out`,
    ...(outlook.unreadable_lines === 0 ? [] : [`${count(outlook.unreadable_lines)} lines are not JSON`]),
    `would write ${outlook.output}; nothing was written`,
  ]
    .map(note)
    .join('');
}

/** For programs: the metrics file with where things are. */
export function toJsonReport({ output, metricsFile, isDone, notes, metrics }: CompressionReport): string {
  return JSON.stringify({ output, metrics_file: metricsFile ?? null, is_done: isDone, notes, ...metrics });
}
