import type { ModelLibrary } from '../../flags/library/models.ts';
import { cleanLine } from '../../terminal/clean-text.ts';

type JobDetail = Awaited<ReturnType<ModelLibrary['readJob']>>;
type Job = Omit<JobDetail, 'failures'>;

/** How far a job is, in one line. */
export function describeJob({ name, item_count: items, counts, cost, ...job }: Job): string {
  const left = counts.ready + counts.leased;
  const parts = [
    `${counts.done} of ${items} done`,
    counts.discarded > 0 ? `${counts.discarded} discarded` : '',
    counts.failed > 0 ? `${counts.failed} failed` : '',
    left > 0 ? `${left} left` : '',
    cost > 0 ? `$${cost.toFixed(4)}` : '',
    job.is_worked_on ? 'somebody works on it' : '',
    `made ${new Date(job.created_at).toISOString().slice(0, 19).replace('T', ' ')}`,
  ];
  return `${cleanLine(name)}: ${parts.filter((part) => part !== '').join(' · ')}\n`;
}

/** What keeps a job from its end, and what to type then. */
export function describeTroubles({ name, counts, failures, is_worked_on: isWorkedOn }: JobDetail): string {
  const lines = failures.map(
    ({ index, attempts, reason }) =>
      `  item ${index} failed, attempt ${attempts}: ${cleanLine(reason ?? 'no reason was kept')}\n`,
  );
  const more = counts.failed - failures.length;
  if (more > 0) lines.push(`  and ${more} more\n`);
  if (counts.ready + counts.leased > 0 && !isWorkedOn)
    lines.push(`  nobody works on it; go on: lachesis batch --run_name ${cleanLine(name)} --resume …\n`);
  return lines.join('');
}
