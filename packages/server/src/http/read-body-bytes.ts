import { LachesisError } from '@lachesis/protocol';
import type { Readable } from 'node:stream';
import type { BodyAccount } from './body-ledger.ts';
import type { ArrivalWatch } from './arrival-watch.ts';

export interface BodyBytesOptions {
  stream: Readable;
  /** The `Content-Length`, where there is one. */
  announced: number | undefined;
  /** Most bytes of this request. */
  limit: number;
  account: BodyAccount;
  arrivals: ArrivalWatch;
}

/**
 * What is a little too long is read to its end and dropped: a connection that is closed while its sender still writes loses
 * the refusal.
 */
const DROPPED_BYTES = 1024 ** 2;

/** Reads a body no faster than there is room for it, no longer than its limit, and no slower than the least rate. */
export function readBodyBytes({ stream, announced, limit, account, arrivals }: BodyBytesOptions): Promise<Buffer> {
  // Refused unread.
  if (announced !== undefined && announced > limit + DROPPED_BYTES) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let received = 0;
    const arrival = arrivals.begin((bytesPerSecond) => leave(() => reject(tooSlow(bytesPerSecond))));
    const leave = (settle: () => void): void => {
      stream.off('data', onData).off('end', onEnd).off('error', onError);
      arrival.end();
      settle();
    };
    const onData = (piece: Buffer): void => {
      received += piece.length;
      arrival.count(piece.length);
      if (received > limit) {
        pieces.length = 0;
        return received > limit + DROPPED_BYTES ? leave(() => reject(tooLarge(limit))) : undefined;
      }
      pieces.push(piece);
      const room = account.take(piece.length);
      if (room === undefined) return undefined;
      stream.pause();
      arrival.pause();
      void room.then(() => {
        arrival.resume();
        stream.resume();
      });
      return undefined;
    };
    // Always copied: a piece alone is a view on what the socket reads into.
    const onEnd = (): void =>
      leave(() => (received > limit ? reject(tooLarge(limit)) : resolve(Buffer.concat(pieces, received))));
    const onError = (error: Error): void => leave(() => reject(Object.assign(error, { statusCode: 400 })));
    stream.on('data', onData).once('end', onEnd).once('error', onError);
  });
}

/** Lets a body that nobody wants pass by, up to the same length, so that its sender reads the reply. Nothing is kept. */
export function dropBody({
  stream,
  announced,
  arrivals,
}: Pick<BodyBytesOptions, 'announced' | 'arrivals' | 'stream'>): Promise<void> {
  if (announced !== undefined && announced > DROPPED_BYTES) return Promise.resolve();
  return new Promise((resolve) => {
    let received = 0;
    const arrival = arrivals.begin(() => leave());
    const leave = (): void => {
      stream.off('data', onData).off('end', leave).off('error', leave);
      arrival.end();
      resolve();
    };
    const onData = (piece: Buffer): void => {
      received += piece.length;
      arrival.count(piece.length);
      if (received > DROPPED_BYTES) leave();
    };
    stream.on('data', onData).once('end', leave).once('error', leave);
  });
}

const tooLarge = (limit: number): LachesisError =>
  new LachesisError({
    code: 'too-large',
    message: `this request takes at most ${limit} bytes`,
    hint: 'Send less at once. Where a request may be large, LACHESIS_MAX_BODY_BYTES of the server is its bound.',
  });

const tooSlow = (bytesPerSecond: number): LachesisError =>
  new LachesisError({
    code: 'too-slow',
    message: `the body arrives at less than ${bytesPerSecond} bytes a second`,
    hint: 'Nothing was acknowledged; send the request again over a connection that carries it.',
  });
