import { cleanLine } from '../terminal/clean-text.ts';
import { formatNumber } from '../terminal/format-number.ts';
import type { RunView } from './run-view.ts';

/** What is different from the view before, one sentence each; for where nothing can be redrawn. */
export function describeChanges(before: RunView | undefined, after: RunView): string[] {
  const was = before?.status;
  const { status } = after;
  const lines: string[] = [];
  if (before?.awayMs === undefined && after.awayMs !== undefined) return ['the server does not answer; waiting'];
  if (before?.awayMs !== undefined && after.awayMs === undefined) lines.push('the server answers again');
  if (was?.status !== status.status) {
    const reason = status.reason === null ? '' : `: ${cleanLine(status.reason)}`;
    lines.push(`run ${status.run_id} is ${status.status}${reason}`);
  }
  if (was === undefined || was.metrics.step !== status.metrics.step) lines.push(describeStep(after));
  for (const process of status.process_details) {
    const old = was?.process_details.find(({ role }) => role === process.role);
    if (old?.state === process.state && old.restarts === process.restarts) continue;
    const facts = [
      process.state === 'running' && process.pid !== null ? `, pid ${process.pid}` : '',
      process.restarts > 0 ? `, started again ${process.restarts}×` : '',
      process.reason === null || process.state === 'running' ? '' : `: ${cleanLine(process.reason)}`,
    ];
    lines.push(`${process.role} is ${process.state}${facts.join('')}`);
  }
  if (after.why !== undefined && after.why.message !== before?.why?.message && after.why.cause !== 'none') {
    lines.push(`held up (${after.why.cause}): ${cleanLine(after.why.message)}`);
  }
  return lines;
}

function describeStep({ status, series }: RunView): string {
  const { step, reward_mean: reward, loss } = status.metrics;
  const staleness = series['train/staleness_mean']?.at(-1)?.value;
  const facts = [
    ['reward', reward],
    ['loss', loss],
    ['staleness', staleness],
  ] as const;
  const shown = facts.flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${formatNumber(value)}`] : []));
  return [`step ${step}${status.total_steps === null ? '' : `/${status.total_steps}`}`, ...shown].join('  ');
}
