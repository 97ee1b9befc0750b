import type { EgressMeter } from './create-egress-meter.ts';
import type { EgressLogEntry, EgressVerdict } from './egress-log.ts';

export interface PassageOptions {
  readonly method: string;
  readonly meter: EgressMeter;
  readonly now: () => number;
  readonly onEnd: (entry: EgressLogEntry) => void;
}

/** One request on its way: what it moves is counted, and its end is logged once. */
export interface Passage {
  /** What is used up before it began, if anything is. */
  readonly quota: string | undefined;
  /** Aborted with the quota's name when one is used up on the way. */
  readonly signal: AbortSignal;
  setHost(host: string, port: number): void;
  setAddress(address: string): void;
  up(bytes: number): void;
  down(bytes: number): void;
  /** The first end counts. */
  end(verdict: EgressVerdict, reason?: string): void;
}

const LONGEST_HOST = 255;

export function openPassage({ method, meter, now, onEnd }: PassageOptions): Passage {
  const at = now();
  const controller = new AbortController();
  const quota = meter.begin();
  let [host, port]: [string, number | undefined] = ['', undefined];
  let address: string | undefined;
  let [upBytes, downBytes] = [0, 0];
  let isOver = false;
  const stop = (used: string | undefined): void => {
    if (used !== undefined) controller.abort(new Error(used));
  };
  const timer = setTimeout(stop, meter.quotas.requestMs, `more than ${meter.quotas.requestMs} ms`);
  timer.unref();
  return {
    quota,
    signal: controller.signal,
    setHost: (givenHost, givenPort) => ([host, port] = [givenHost.slice(0, LONGEST_HOST), givenPort]),
    setAddress: (given) => (address = given),
    up(bytes) {
      upBytes += bytes;
      stop(meter.addUp(bytes));
    },
    down(bytes) {
      downBytes += bytes;
      stop(meter.addDown(bytes));
    },
    end(verdict, reason) {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      meter.end();
      const moved = { upBytes, downBytes, durationMs: now() - at };
      onEnd({ at, method: method.slice(0, 16), host, port, address, verdict, reason, ...moved });
    },
  };
}
