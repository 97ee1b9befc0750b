import type { RlToolProgress } from '@lachesis/sdk';

export interface ProgressMessage {
  progress: number;
  message: string;
}

export interface ReportProgressOptions {
  /** The tool. */
  name: string;
  /** How often it says that it still goes on. */
  tickMs: number;
  send(progress: ProgressMessage): Promise<void>;
}

export interface ProgressReporter {
  report(progress: RlToolProgress): void;
  /** No message is sent after it resolves: the answer comes next. */
  end(): Promise<void>;
}

/**
 * Tells a client that a call goes on. Numbers only rise, as the protocol wants; how far the work has come is in the
 * sentence, because the end of a test is not known before it is there.
 */
export function reportProgress({ name, tickMs, send }: ReportProgressOptions): ProgressReporter {
  let count = 0;
  let isEnded = false;
  let sending = Promise.resolve();
  const report = (message: string): void => {
    if (isEnded) return;
    count += 1;
    const progress = { progress: count, message };
    // A client that has hung up is told by the transport; the call itself is ended by its signal.
    sending = sending.then(() => send(progress)).catch(() => undefined);
  };
  report(`${name} has begun`);
  const timer = setInterval(() => report(`${name} goes on`), tickMs);
  return {
    report: ({ done, total, message }) =>
      report(`${message} (${done}${total === undefined ? '' : ` of ${total}`} done)`),
    async end() {
      isEnded = true;
      clearInterval(timer);
      await sending;
    },
  };
}
