import { LachesisError } from '@lachesis/protocol';
import type { ServerResponse } from 'node:http';

/** A reply that is not finished, and whether its caller may still have it: throws `unauthorized` or `forbidden` when not. */
interface OpenReply {
  reply: ServerResponse;
  since: number;
  judge: () => Promise<unknown>;
}

/** With the time a judgement is remembered, a revoked token has lost its streams within a second. Hundreds of pages are judged at each. */
const LOOK_EVERY_MS = 600;

/**
 * Replies under way, which end when the token they were asked with is no longer enough. A token is looked at when a
 * request comes; a stream would outlive it. So those that take long are judged again and again, and ended when the
 * token was revoked, expired, or is no longer enough.
 */
export class OpenReplies {
  readonly #open = new Map<ServerResponse, OpenReply>();
  readonly #monotonic: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor({ monotonic = () => performance.now() }: { monotonic?: () => number } = {}) {
    this.#monotonic = monotonic;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#open.clear();
  }

  add(reply: ServerResponse, judge: () => Promise<unknown>): void {
    this.#open.set(reply, { reply, judge, since: this.#monotonic() });
  }

  delete(reply: ServerResponse): void {
    this.#open.delete(reply);
  }

  /** Judges every reply that has been open for a while. Never throws. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const before = this.#monotonic() - LOOK_EVERY_MS;
    await Promise.all([...this.#open.values()].map((open) => this.#lookAt(open, before)));
    this.#isLooking = false;
  }

  async #lookAt({ reply, since, judge }: OpenReply, before: number): Promise<void> {
    if (reply.closed || reply.writableEnded) {
      this.#open.delete(reply);
      return;
    }
    if (since > before) return;
    const refusal = await judge().then(
      () => undefined,
      (error: unknown) => error,
    );
    // A database that does not answer says nothing about a token; the next look asks again.
    if (!LachesisError.isInstance(refusal) || (refusal.code !== 'unauthorized' && refusal.code !== 'forbidden')) return;
    this.#open.delete(reply);
    // As if the caller had hung up, which everything here can stand; what is cut off nobody takes for whole.
    reply.destroy();
  }
}
