import type { BuildQueue } from './create-build-queue.ts';
import type { Entrance } from './create-exec-channel.ts';

/** Files that are written one after another come faster than an entrance is built; it is built for who comes later. */
const PAUSE_MS = 5;

export interface WarmPoolOptions {
  readonly queue: BuildQueue;
  readonly open: () => Entrance;
}

/** One entrance that stands ready for the next command, built while the model thinks about it. */
export interface WarmPool {
  /** The one that stands, if one does. */
  take(): Entrance | undefined;
  /** Builds one after a pause, unless one stands or somebody takes another way before. */
  prepare(): void;
  /** Ends what stands, and builds no more. Resolves when it is gone. */
  close(): Promise<void>;
}

export function createWarmPool({ queue, open }: WarmPoolOptions): WarmPool {
  let standing: Entrance | undefined;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  let isClosed = false;
  const cancel = (): void => {
    clearTimeout(timer);
    giveUp?.();
    giveUp = undefined;
  };
  const build = async (): Promise<void> => {
    giveUp = undefined;
    if (isClosed || standing !== undefined) return;
    const entrance = open();
    standing = entrance;
    entrance.rest();
    // One that ended on its own, such as for want of memory, is no use to anybody.
    void entrance.ended.then(() => {
      if (standing !== entrance) return undefined;
      standing = undefined;
      return entrance.leave();
    });
    await entrance.isReady;
  };
  return {
    take() {
      cancel();
      const entrance = standing;
      standing = undefined;
      entrance?.wake();
      return entrance;
    },
    prepare() {
      cancel();
      if (isClosed || standing !== undefined) return;
      timer = setTimeout(() => (giveUp = queue.add(build)), PAUSE_MS);
      timer.unref();
    },
    async close() {
      isClosed = true;
      cancel();
      const entrance = standing;
      standing = undefined;
      if (entrance === undefined) return;
      entrance.kill();
      await entrance.leave();
    },
  };
}
