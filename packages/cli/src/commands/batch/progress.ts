import type { WorkCounts } from '@lachesis/store';

export interface BatchProgress {
  report(counts: WorkCounts): void;
  /** A line of its own, above the one that moves. */
  log(line: string): void;
  end(): void;
}

export interface BatchProgressOptions {
  output: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  now?: () => number;
  /** Between two lines where nothing can move. */
  lineMs?: number;
}

const LINE_MS = 10_000;

/** How far a run is, how fast, until when, and what it costs. In a pipe a line now and then. */
export function createBatchProgress({
  output,
  now = () => performance.now(),
  lineMs = LINE_MS,
}: BatchProgressOptions): BatchProgress {
  const isLive = output.isTTY === true;
  const begun = now();
  let first: number | undefined;
  let lastLine = Number.NEGATIVE_INFINITY;
  let lastText = '';
  // The first count is where the run stands before it goes on.
  let isTold = false;
  const clear = (): void => {
    if (isLive && lastText !== '') output.write('\r\u001b[2K');
  };
  return {
    report(counts) {
      const ended = counts.done + counts.discarded + counts.failed;
      first ??= ended;
      const text = describe(counts, { ended, since: ended - first, seconds: (now() - begun) / 1000 });
      if (isLive) {
        clear();
        output.write(text.slice(0, (output.columns ?? 120) - 1));
      } else if (text !== lastText && isTold && (now() - lastLine >= lineMs || counts.ready + counts.leased === 0)) {
        output.write(`${text}\n`);
        lastLine = now();
      }
      lastText = text;
      isTold = true;
    },
    log(line) {
      clear();
      output.write(`${line}\n`);
      if (isLive) output.write(lastText.slice(0, (output.columns ?? 120) - 1));
    },
    end() {
      if (isLive && lastText !== '') output.write('\n');
      lastText = '';
    },
  };
}

function describe(
  counts: WorkCounts,
  { ended, since, seconds }: { ended: number; since: number; seconds: number },
): string {
  const total = ended + counts.ready + counts.leased;
  const rate = seconds > 0 ? since / seconds : 0;
  const left = rate > 0 ? (total - ended) / rate : undefined;
  return [
    `${ended}/${total} (${total === 0 ? 100 : Math.floor((ended / total) * 100)}%)`,
    counts.discarded > 0 ? `${counts.discarded} discarded` : '',
    counts.failed > 0 ? `${counts.failed} failed` : '',
    `${rate.toFixed(rate < 10 ? 1 : 0)}/s`,
    ended === total ? '' : left === undefined ? 'no estimate yet' : `${formatRoughDuration(left)} left`,
    counts.cost > 0 ? `$${counts.cost.toFixed(4)}` : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

export function formatRoughDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
