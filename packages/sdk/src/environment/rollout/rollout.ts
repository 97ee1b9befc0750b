import type { Outcome } from '../outcome.ts';
import type { Split } from '../split.ts';
import type { Sequence } from './join-turns.ts';
import type { RolloutResult } from './rollout-result.ts';

/** One attempt of the policy at one item, ended. */
export interface Rollout<S extends Split = Split> {
  readonly split: S;
  readonly rolloutId: string;
  /** Its place in the group; a repeated attempt keeps it. */
  readonly index: number;
  readonly outcome: Outcome;
  /** Undefined when it failed before there was a reply. */
  readonly result: RolloutResult | undefined;
  /** One, or one per turn when history was split; none when the server gives no tokens. */
  readonly sequences: readonly Sequence[];
  readonly overrides: Readonly<Record<string, unknown>> | undefined;
  readonly durationMs: number;
}
