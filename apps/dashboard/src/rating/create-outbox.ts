import type { Feedback, FeedbackInput } from '@lachesis/protocol';

/** What is still to be told to the server, in the order it was said. */
type Entry = { op: 'write'; key: string; feedback: FeedbackInput } | { op: 'withdraw'; key: string };

export interface OutboxOptions {
  readonly write: (feedback: FeedbackInput) => Promise<Feedback>;
  readonly withdraw: (feedbackId: string) => Promise<void>;
  /** Whether the same call may succeed later by itself. */
  readonly isAway: (error: unknown) => boolean;
  /** Where it outlives the page: what was said is sent by the next visit. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly onChange: () => void;
  readonly wait?: (ms: number) => Promise<void>;
}

export interface Outbox {
  /** How many are not acknowledged yet. */
  readonly waiting: number;
  /** The server has not answered the last try. */
  readonly isAway: boolean;
  /** Why the last one that was refused was not kept. */
  readonly problem: string | undefined;
  say(key: string, feedback: FeedbackInput): void;
  /** Takes back what was said last under a key: before it is sent, or by withdrawing it. */
  takeBack(key: string): void;
  destroy(): void;
}

const STORED = 'lachesis.unsent-feedback';
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/**
 * Writes in the background. A rating has a key, so that sending it twice is sending it once; nothing is taken off the list
 * before the server has said that it is kept.
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = options;
  const entries: Entry[] = readStored(options.storage);
  const kept = new Map<string, string>();
  let problem: string | undefined;
  let isAway = false;
  let isRunning = false;
  let isEnded = false;

  function changed(): void {
    options.storage.setItem(STORED, JSON.stringify(entries));
    if (!isEnded) options.onChange();
  }

  async function send(entry: Entry): Promise<void> {
    if (entry.op === 'write') kept.set(entry.key, (await options.write(entry.feedback)).feedback_id);
    else {
      const id = kept.get(entry.key);
      if (id !== undefined) await options.withdraw(id);
      kept.delete(entry.key);
    }
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      const entry = entries[0];
      if (entry === undefined || isEnded) break;
      try {
        await send(entry);
        problem = undefined;
      } catch (error) {
        if (options.isAway(error)) {
          isAway = true;
          changed();
          await wait(pause);
          pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
          continue;
        }
        problem = error instanceof Error ? error.message : String(error);
      }
      isAway = false;
      pause = FIRST_PAUSE_MS;
      entries.shift();
      changed();
    }
    isRunning = false;
  }

  void run();
  return {
    get waiting() {
      return entries.length;
    },
    get isAway() {
      return isAway;
    },
    get problem() {
      return problem;
    },
    say(key, feedback) {
      entries.push({ op: 'write', key, feedback });
      changed();
      void run();
    },
    takeBack(key) {
      // The first may be on its way already; only those behind it can still be left out.
      const at = entries.findLastIndex((entry) => entry.key === key && entry.op === 'write');
      if (at > 0) entries.splice(at, 1);
      else entries.push({ op: 'withdraw', key });
      changed();
      void run();
    },
    destroy() {
      isEnded = true;
    },
  };
}

function readStored(storage: OutboxOptions['storage']): Entry[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? (stored as Entry[]) : [];
  } catch {
    // Written by another program: nothing of ours is in it.
    return [];
  }
}
