import type { WhyReply } from '@lachesis/protocol';
import { setTimeout as sleep } from 'node:timers/promises';

export interface NamedCause {
  /** The last reply. */
  reply: WhyReply;
  /** From the call to the first reply that named the cause. */
  seconds: number;
  isNamed: boolean;
}

const EVERY_MS = 1_000;

/** Asks until the cause is named, or the time is up. */
export async function waitForCause(options: {
  ask: () => Promise<WhyReply>;
  cause: WhyReply['cause'];
  withinSeconds: number;
}): Promise<NamedCause> {
  const startedAt = performance.now();
  for (;;) {
    const reply = await options.ask();
    const seconds = (performance.now() - startedAt) / 1000;
    const isNamed = reply.cause === options.cause;
    if (isNamed || seconds > options.withinSeconds) return { reply, seconds, isNamed };
    await sleep(EVERY_MS);
  }
}
