import { collectHomeOrphans } from '@lachesis/store';
import type { Logger } from 'pino';

type CollectHomeOrphansOptions = Parameters<typeof collectHomeOrphans>[0];

const FIRST_AFTER_MS = 5 * 60_000;
const EVERY_MS = 60 * 60_000;
/** Pieces of a data set that is being sent wait so long for the version that is made of them. */
const GRACE_MS = 24 * 60 * 60_000;

/** Removes payloads whose group was never acknowledged: what a crash between file and row leaves behind. */
export function startOrphanCollection(options: { home: CollectHomeOrphansOptions['home']; log: Logger }): {
  stop(): void;
} {
  const { home, log } = options;
  let timer = setTimeout(collect, FIRST_AFTER_MS);
  timer.unref();

  function collect(): void {
    void collectHomeOrphans({ home, graceMs: GRACE_MS })
      .then((report) => log.info(report, 'orphaned payloads collected'))
      .catch((error: unknown) => log.warn({ err: error }, 'orphaned payloads not collected; tried again in an hour'))
      .finally(() => {
        timer = setTimeout(collect, EVERY_MS);
        timer.unref();
      });
  }

  return { stop: () => clearTimeout(timer) };
}
