import type { CompressFilesOptions } from '@lachesis/data';

type CompressionProgress = Parameters<NonNullable<CompressFilesOptions['onProgress']>>[0];

export interface CompressProgressOptions {
  readonly stream: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  readonly now?: () => number;
}

const LIVE_EVERY_MS = 200;
/** In a pipe each report is a line of a log. */
const LINE_EVERY_MS = 10_000;

/** One line that changes on a screen; in a pipe a line now and then. */
export function createCompressProgress({ stream, now = Date.now }: CompressProgressOptions): {
  show: (progress: CompressionProgress) => void;
  end: () => void;
} {
  const isLive = stream.isTTY === true;
  const startedAt = now();
  let shownAt = startedAt;
  let firstBytes: number | undefined;
  let isShown = false;
  return {
    show({ bytesRead, bytesTotal, sums }) {
      firstBytes ??= bytesRead;
      const time = now();
      if (time - shownAt < (isLive ? LIVE_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = time;
      isShown = true;
      const share = bytesTotal === 0 ? 1 : bytesRead / bytesTotal;
      const speed = (bytesRead - firstBytes) / (time - startedAt);
      const left = speed > 0 ? ` · about ${describeTime((bytesTotal - bytesRead) / speed)} left` : '';
      const line =
        `${(share * 100).toFixed(0)} % · ${sums.rows} rows, ${sums.compressed} compressed, ${sums.failed} failed` +
        ` · ${sums.calls} calls, ${sums.reusedSummaries} summaries from the journal${left}`;
      stream.write(isLive ? `\r\u001B[K${line}` : `${line}\n`);
    },
    end() {
      if (isLive && isShown) stream.write('\r\u001B[K');
    },
  };
}

function describeTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
