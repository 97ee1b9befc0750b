import { createToken, revokeToken, type Store } from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StreamPlan } from './list-streams.ts';
import { watchStream } from './watch-stream.ts';

export interface EndedStream {
  readonly name: string;
  /** Undefined for one that went on. */
  readonly ms: number | undefined;
}

const TENANT = 'a';
/** How long streams are looked at before their token ends, and after. */
const BEFORE_MS = 700;
const LONGEST_MS = 6_000;
const LOOK_MS = 20;

/** Opens every stream, ends the tokens they were opened with, and says how long each went on. */
export async function endStreams(options: {
  store: Store;
  way: 'revoked' | 'expired';
  list: (token: string, pathKey: string) => Promise<StreamPlan[]>;
}): Promise<{ streams: EndedStream[]; wereOpen: boolean }> {
  const { store, way, list } = options;
  const lifetime = way === 'expired' ? { expiresAt: (await store.now()) + 4_000 } : {};
  const expiresIn = performance.now() + 4_000;
  const token = await createToken({ store, tenantId: TENANT, name: way, scopes: ['admin'], ...lifetime });
  const key = await createToken({ store, tenantId: TENANT, name: way, scopes: ['inference:call'], ...lifetime });
  const plans = await list(token.token, key.token);
  const streams = await Promise.all(plans.map(async (plan) => ({ name: plan.name, stream: await watchStream(plan) })));
  try {
    await sleep(way === 'expired' ? Math.max(0, expiresIn - performance.now()) : BEFORE_MS);
    const wereOpen = streams.every(({ stream }) => stream.isOpen);
    const from = performance.now();
    if (way === 'revoked') {
      for (const { tokenId } of [token, key]) await revokeToken({ store, tenantId: TENANT, tokenId });
    }
    while (streams.some(({ stream }) => stream.isOpen) && performance.now() - from < LONGEST_MS) await sleep(LOOK_MS);
    return { wereOpen, streams: streams.map(({ name, stream }) => ({ name, ms: stream.endedAfter(from) })) };
  } finally {
    for (const { stream } of streams) stream.close();
  }
}
