import type { runBatch } from '@lachesis/data/batch';
import { relative } from 'node:path';
import { formatRoughDuration } from './progress.ts';

type BatchOutcome = Awaited<ReturnType<typeof runBatch>>;

/** What a run came to, for people. */
export function describeOutcome({ counts, directory, statistics, recorded }: BatchOutcome): string {
  const open = counts.ready + counts.leased;
  const where = relative(process.cwd(), directory) || '.';
  if (statistics === undefined) {
    return `ended before the end: ${counts.done + counts.discarded} prompts are done, ${open} are left. Go on with --resume.\n`;
  }
  const { reasoning_statistics: reasoning, tool_statistics: tools, tokens, costs } = statistics;
  const covered =
    reasoning.total_assistant_turns === 0
      ? '–'
      : `${((reasoning.turns_with_reasoning / reasoning.total_assistant_turns) * 100).toFixed(1)}%`;
  const cost =
    costs.total === 0 && costs.unknown > 0 && costs.unknown === counts.done
      ? 'cost unknown (--prices)'
      : `$${costs.total.toFixed(4)}${costs.unknown > 0 ? ` (the cost of ${costs.unknown} rows is unknown: --prices)` : ''}`;
  const lines = [
    `${counts.done} rows kept, ${counts.discarded} discarded without reasoning, ${counts.failed} failed, in ${formatRoughDuration(statistics.duration_seconds)}`,
    `reasoning in ${covered} of ${reasoning.total_assistant_turns} replies · ${tokens.prompt + tokens.completion} tokens · ${cost}`,
  ];
  const called = Object.entries(tools).sort(([, left], [, right]) => right.count - left.count);
  if (called.length > 0) {
    lines.push(
      '',
      `${'tool'.padEnd(24)}${'calls'.padStart(8)}${'success'.padStart(10)}${'failure'.padStart(10)}${'rate'.padStart(9)}`,
    );
    for (const [name, { count, success, failure, success_rate: rate }] of called) {
      lines.push(
        `${name.padEnd(24)}${String(count).padStart(8)}${String(success).padStart(10)}${String(failure).padStart(10)}${`${rate.toFixed(1)}%`.padStart(9)}`,
      );
    }
  }
  lines.push('', `${where}/trajectories.jsonl, trajectories.parquet, statistics.json, report.html`);
  if (recorded !== undefined) lines.push(`recorded: lachesis trajectories list --source ${recorded.source}`);
  if (counts.discarded > 0) lines.push(`${where}/discarded.jsonl: rows without any reasoning`);
  if (counts.failed > 0) {
    lines.push(`${where}/failures.jsonl: why. Again with --resume --max_attempts <more>`);
  }
  return `${lines.join('\n')}\n`;
}
