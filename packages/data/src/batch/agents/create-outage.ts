import type { Clock } from '@lachesis/protocol';
import { BatchError } from '../batch-error.ts';
import type { RequestGate } from '../request-gate.ts';

/** A server that never answered was most likely named wrong. */
const FIRST_ANSWER_MS = 20_000;
/** One that did is waited for: no prompt is to blame. */
const AWAY_FOR_MS = 30 * 60_000;
const SHORTEST_REST_MS = 500;
const LONGEST_REST_MS = 30_000;

export interface OutageOptions {
  gate: RequestGate;
  clock: Clock;
  /** Told once of each. */
  onOutage?: ((reason: string) => void) | undefined;
}

/** The times in which a server answers nobody. They hold everybody and cost no prompt an attempt. */
export interface Outage {
  /** Somebody got no answer. */
  begin(): void;
  /** Somebody was answered. */
  end(): void;
  /** How many there were that ended. */
  ended(): number;
  lastsMs(): number;
  /** Lets everybody rest, longer the longer it lasts; throws when it has lasted too long. */
  wait(error: Error): Promise<void>;
}

export function createOutage({ gate, clock, onOutage = () => undefined }: OutageOptions): Outage {
  let since: number | undefined;
  let ended = 0;
  let isTold = false;
  let hasAnswered = false;
  const lastsMs = (): number => (since === undefined ? 0 : clock.now() - since);
  const begin = (): void => {
    since ??= clock.now();
  };
  return {
    begin,
    end() {
      hasAnswered = true;
      if (since === undefined) return;
      since = undefined;
      isTold = false;
      ended += 1;
    },
    ended: () => ended,
    lastsMs,
    async wait(error) {
      begin();
      if (lastsMs() > (hasAnswered ? AWAY_FOR_MS : FIRST_ANSWER_MS)) {
        const hint = hasAnswered
          ? 'Go on with --resume when it is back'
          : 'Start the server or correct its address, then go on with --resume';
        throw new BatchError({ kind: 'stop', what: error.message, hint, cause: error });
      }
      if (!isTold) onOutage(error.message);
      isTold = true;
      await gate.pause(Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, lastsMs() / 2)));
    },
  };
}
