import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FuzzCase } from '../cases/draft.ts';
import { readReplies } from './read-replies.ts';
import type { Reply } from './read-replies.ts';

/** Every call is answered within 25 seconds, those that start a process too; what takes longer counts as a hang. */
const HANG_MS = 25_000;
/** How long we stay with a request that the server may hold on purpose, and with one that it need not answer. */
const WAITING_MS = 300;
const DISORDERLY_MS = 80;
const PATIENCE_MS = { orderly: HANG_MS, waiting: WAITING_MS, disorderly: DISORDERLY_MS };

export interface Exchange {
  readonly replies: readonly Reply[];
  /** answered: all replies came. closed: the server cut the connection. left: we lost patience. */
  readonly end: 'answered' | 'closed' | 'left';
  /** From the last byte sent to the last reply. */
  readonly elapsedMs: number;
}

/** One client that sends case after case, over one connection as long as that lasts. */
export class Lane {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  async send(fuzzCase: FuzzCase): Promise<Exchange> {
    const socket = (this.#socket ??= this.#connect());
    const { pieces, pauseMs, manner, requests } = fuzzCase;
    const answer = collectReplies(socket, requests);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && pauseMs > 0) await sleep(pauseMs);
      if (!socket.destroyed) socket.write(piece);
    }
    const sentAt = performance.now();
    const end = await answer.within(PATIENCE_MS[manner]);
    const elapsedMs = performance.now() - sentAt;
    const replies = answer.replies();
    if (end !== 'answered' || manner === 'disorderly' || replies.some(({ closes }) => closes)) this.close();
    return { replies, end, elapsedMs };
  }

  #connect(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true });
    // A reset is one of the ways in which a server may end a broken request; what counts is that it ended.
    socket.on('error', () => socket.destroy());
    return socket;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }
}

/** Listens from before the first byte is sent, because a refusal may come before the last one. */
function collectReplies(
  socket: Socket,
  expected: number,
): { replies(): Reply[]; within(ms: number): Promise<Exchange['end']> } {
  let received: Buffer = Buffer.alloc(0);
  const done = Promise.withResolvers<Exchange['end']>();
  const onData = (bytes: Buffer): void => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    if (readReplies(received).length >= expected) done.resolve('answered');
  };
  const onClose = (): void => done.resolve('closed');
  socket.on('data', onData).on('close', onClose);
  return {
    replies: () => readReplies(received),
    async within(ms) {
      const timer = setTimeout(() => done.resolve('left'), ms);
      const end = await done.promise;
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      return end;
    },
  };
}
