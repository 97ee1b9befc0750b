import { collectOrphans, isBlobReferenced, openFileBlobs, type Store } from '@lachesis/store';
import type { Logger } from 'pino';

const FIRST_AFTER_MS = 5 * 60_000;
const EVERY_MS = 60 * 60_000;

/** Removes payloads whose group was never acknowledged: what a crash between file and row leaves behind. */
export function startOrphanCollection(options: { store: Store; directory: string; log: Logger }): { stop(): void } {
  const { store, directory, log } = options;
  const blobs = openFileBlobs({ directory });
  let timer = setTimeout(collect, FIRST_AFTER_MS);
  timer.unref();

  function collect(): void {
    void collectOrphans({ blobs, isReferenced: (digest) => isBlobReferenced({ store, digest }) })
      .then((report) => log.info(report, 'orphaned payloads collected'))
      .catch((error: unknown) => log.warn({ err: error }, 'orphaned payloads not collected; tried again in an hour'))
      .finally(() => {
        timer = setTimeout(collect, EVERY_MS);
        timer.unref();
      });
  }

  return { stop: () => clearTimeout(timer) };
}
