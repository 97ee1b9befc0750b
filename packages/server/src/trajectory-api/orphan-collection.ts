import { collectHomeOrphans, collectHomeUnreferenced } from '@lachesis/store';
import type { Logger } from 'pino';
import { runLeasedChore } from '../services/library/run-leased-chore.ts';

type CollectHomeOrphansOptions = Parameters<typeof collectHomeOrphans>[0];

const FIRST_AFTER_MS = 5 * 60_000;
const EVERY_MS = 60 * 60_000;
/** Walking all payloads takes minutes for a million of them, and finds what a crash left behind: once a day is soon enough. */
const WALK_EVERY_MS = 24 * 60 * 60_000;
/** Pieces of a data set that is being sent wait so long for the version that is made of them. */
const GRACE_MS = 24 * 60 * 60_000;

/**
 * Removes payloads whose last reference was given up, by their rows, and once a day those that never had a row: what a crash
 * between file and row leaves behind. Of all processes over one database one does it.
 */
export function startOrphanCollection(options: { home: CollectHomeOrphansOptions['home']; log: Logger }): {
  stop(): void;
} {
  const { home, log } = options;
  const { store } = home;
  let timer = setTimeout(() => void collect(), FIRST_AFTER_MS);
  timer.unref();

  async function collect(): Promise<void> {
    const given = { home, graceMs: GRACE_MS };
    try {
      // A little less than the pause, or the same process would come a moment too soon.
      const everyMs = EVERY_MS - FIRST_AFTER_MS;
      const rows = { chore: 'unreferenced payloads', everyMs, run: () => collectHomeUnreferenced(given) };
      const files = { chore: 'orphaned payloads', everyMs: WALK_EVERY_MS, run: () => collectHomeOrphans(given) };
      for (const chore of [rows, files]) {
        const report = await runLeasedChore({ store, ...chore });
        if (report !== undefined) log.info(report, `${chore.chore} collected`);
      }
    } catch (error) {
      log.warn({ err: error }, 'payloads not collected; tried again in an hour');
    }
    timer = setTimeout(() => void collect(), EVERY_MS);
    timer.unref();
  }

  return { stop: () => clearTimeout(timer) };
}
