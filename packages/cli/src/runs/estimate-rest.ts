import { isFinalRunState } from '@lachesis/protocol';
import type { RunView } from './run-view.ts';

/** Steps grow longer as replies do, so the newest say most about those to come. */
const RECENT_STEPS = 10;

/** Seconds until the last step, by the pace of the newest ones; undefined when there is nothing to tell it from. */
export function estimateRest({ status, series }: RunView, now: number): number | undefined {
  const { total_steps: total, metrics, started_at: startedAt } = status;
  if (total === null || isFinalRunState(status.status)) return undefined;
  const left = Math.max(0, total - metrics.step);
  const recent = (series['time/step'] ?? []).slice(-RECENT_STEPS);
  if (recent.length > 0) return (left * recent.reduce((sum, { value }) => sum + value, 0)) / recent.length;
  if (metrics.step === 0 || startedAt === null) return undefined;
  return (left * Math.max(0, now - startedAt)) / 1_000 / metrics.step;
}
