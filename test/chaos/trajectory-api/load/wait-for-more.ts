import { setTimeout as sleep } from 'node:timers/promises';

import type { Load } from './start-load.ts';

const PATIENCE_MS = 60_000;

/** Resolves when each load has seen `count` more acknowledgements; throws when a minute does not bring them. */
export async function waitForMore(loads: readonly Load[], count: number): Promise<void> {
  const more = loads.map(({ history }) => history.waitForAcknowledged(history.acknowledged + count));
  const patience = new AbortController();
  const expired = sleep(PATIENCE_MS, undefined, { signal: patience.signal }).then(() => {
    const counts = loads.map(({ name, history }) => `${name} ${history.acknowledged}`).join(', ');
    throw new Error(`${count} more acknowledgements did not come in ${PATIENCE_MS} ms; so far: ${counts}`);
  });
  try {
    await Promise.race([Promise.all(more), expired]);
  } finally {
    patience.abort();
    expired.catch(() => undefined);
  }
}
