import type { Clock } from '@lachesis/protocol';
import { ClientError } from '../../clients/client-error.ts';
import { requestBytes } from '../../clients/request.ts';

export interface MetricsReporter {
  /** Returns at once; rows arrive in the order they were added. */
  add(row: { step: number; metrics: Readonly<Record<string, number>> }): void;
  /** Resolves when everything so far was told, or nobody listens. */
  flush(): Promise<void>;
  /** Resolves when everything was told, or nobody listens any more. */
  close(): Promise<void>;
}

export interface MetricsReporterOptions {
  /** Of the trainer; undefined when there is none to tell. */
  url: string | undefined;
  token: string | undefined;
  /** Name of the environment. */
  environment: string;
  fetch: typeof fetch;
  clock: Clock;
  /** Told once, when rows do not arrive. */
  say: (note: string) => void;
  /** Milliseconds since 1970. */
  wallClock?: () => number;
}

/** Servers of another kind answer so: there is no trainer, or it is not ours to tell. */
const NO_TRAINER = new Set([401, 403, 404, 405, 501]);
/** A trainer that is started again is back within this time. */
const RETRY_MS = 60_000;
/** The end of a run does not wait longer for a trainer that is gone. */
const LAST_MS = 3_000;

/** Tells the trainer what the environment measured, so that it goes wherever the trainer's own metrics go. */
export function createMetricsReporter(options: MetricsReporterOptions): MetricsReporter {
  const { url, token, environment, fetch: send, clock, say, wallClock = Date.now } = options;
  const giveUp = new AbortController();
  let telling = Promise.resolve();
  let isHeard = url !== undefined;
  let hasSaid = false;

  async function tell(body: object, step: number): Promise<void> {
    if (!isHeard || url === undefined) return;
    try {
      await requestBytes({
        ...{ url, token, fetch: send, clock, body, method: 'POST', path: '/v1/trainer/metrics' },
        ...{ signal: giveUp.signal, retryForMs: RETRY_MS, timeoutMs: 10_000 },
      });
    } catch (error) {
      isHeard = !(ClientError.isInstance(error) && NO_TRAINER.has(error.status ?? 0));
      // Nothing is lost but the copy: the rows are in the environment's own file.
      if (!isHeard || hasSaid) return;
      hasSaid = true;
      say(
        `the trainer was not told of metrics at step ${step}: ${error instanceof Error ? error.message : 'no answer'}`,
      );
    }
  }

  return {
    add({ step, metrics }) {
      // A name that is measured and has no number is no measurement; JSON would make null of it.
      const numbers = Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isFinite(value)));
      const body = { environment, step, at: wallClock(), metrics: numbers };
      telling = telling.then(() => tell(body, step));
    },
    flush: () => telling,
    async close() {
      const limit = setTimeout(() => giveUp.abort(new Error('the run has ended')), LAST_MS);
      await telling;
      clearTimeout(limit);
    },
  };
}
