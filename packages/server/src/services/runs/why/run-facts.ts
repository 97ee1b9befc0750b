import type { Ledger, RunProcessState, RunRole, RunState } from '@lachesis/protocol';

/** A part that was asked and told this, or the reason why it told nothing. */
export type Reading<T> = { readonly value: T } | { readonly problem: string };

export interface TrainerFacts {
  state: string;
  detail: string;
  step: number;
}

export interface InferenceFacts {
  /** Why completions cannot be answered, in its own words; null when they can. */
  problem: string | null;
  inFlight: number;
  /** Calls for completions since its start, by how they were answered. */
  answered: number;
  refused: number;
  broken: number;
  /** Since its start. */
  tokens: { prompt: number; sampled: number };
}

export interface EnvironmentFacts {
  /** What it last said it waits for; null when it went on since. */
  waiting: string | null;
  /** Why it has stopped to roll out; null when it has not. */
  paused: string | null;
}

export interface ProcessFacts {
  role: RunRole;
  state: RunProcessState;
  restarts: number;
  reason: string | null;
}

/** All that is known of a run at one moment. */
export interface RunFacts {
  /** Milliseconds since 1970. */
  at: number;
  run: { shortId: string; state: RunState; reason: string | null; changedAt: number };
  processes: readonly ProcessFacts[];
  /** Another machine that its processes are on while nobody looks after them; null when there is none. */
  otherHost: string | null;
  groupSize: number;
  batchSize: number;
  /** `engine` is null when the run trains on the managed service, whose health is not ours to ask. */
  engine: Reading<'ok'> | null;
  trainer: Reading<TrainerFacts>;
  ledger: Reading<Ledger>;
  /** Why groups were set aside, the newest first. */
  quarantine: readonly string[];
  inference: Reading<InferenceFacts>;
  environment: EnvironmentFacts;
  /** When the engine was last heard to ask for time, by the trainer's log; null when it never was. */
  limitedAt: number | null;
  /** Milliseconds by station. */
  lag: Readonly<Record<string, number | null>>;
}

export const valueOf = <T>(reading: Reading<T> | null): T | undefined =>
  reading !== null && 'value' in reading ? reading.value : undefined;

export const problemOf = <T>(reading: Reading<T> | null): string | undefined =>
  reading !== null && 'problem' in reading ? reading.problem : undefined;

/**
 * What the environment waits for. Its last line may be old: while the trainer itself waits for groups, none can be waiting
 * for the trainer.
 */
export function waitOf({ environment, trainer }: RunFacts): string | null {
  const isOld = valueOf(trainer)?.state === 'waiting' && /for the trainer|no trainer/.test(environment.waiting ?? '');
  return isOld ? null : environment.waiting;
}
