import { createIdSource, openRedactor, readRedactionSettings, type Redactor } from '@lachesis/protocol';
import { drainOutboxes, type IngestParts } from '@lachesis/server/services';
import type { LocalStore } from './open-local-store.ts';

/** The rules that a server which is started here would have. */
export const openLocalRedactor = (): Redactor => openRedactor(readRedactionSettings(process.env), process.env);

/** What a command without a server brings records into the store with. */
export function openIngestParts({ store, blobs }: Pick<LocalStore, 'blobs' | 'store'>): IngestParts {
  return { store, blobs, ids: createIdSource(), redactor: openLocalRedactor() };
}

/** Without a server nobody has read the outboxes: whoever looks at the library does so first. */
export async function drainHome(options: {
  local: Pick<LocalStore, 'blobs' | 'store'>;
  place: { home: string };
}): Promise<void> {
  const { local, place } = options;
  const parts = openIngestParts(local);
  // A gateway that died a moment ago will not bring in its last calls, and one that lives loses nothing by it.
  const { refused } = await drainOutboxes({ parts, home: place.home, now: Date.now, gatewayQuietMs: 0 });
  if (refused > 0) {
    process.stderr.write(
      `${refused} records cannot be kept; they are in refused.jsonl of the outbox in ${place.home}\n`,
    );
  }
}
