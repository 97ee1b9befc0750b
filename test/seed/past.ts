import { realClock, type Clock } from '@lachesis/protocol';

/** A time of its own, which goes on only when something takes time. */
export interface Past {
  now(): number;
  pass(seconds: number): void;
  readonly clock: Clock;
}

/** Begins at this moment, milliseconds since 1970. */
export function createPast(beganAt: number): Past {
  let at = beganAt;
  return {
    now: () => Math.round(at),
    pass: (seconds) => void (at += seconds * 1_000),
    clock: { now: () => at - beganAt, sleep: realClock.sleep },
  };
}
