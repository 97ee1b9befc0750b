import type { Outcome } from '../outcome.ts';
import type { Split } from '../split.ts';
import type { GroupHealth } from '../group/group-health.ts';

/** What a run tells while it goes on. The progress line, JSON lines and tests all read these. */
export type RunEvent =
  | { readonly kind: 'rollout-ended'; readonly split: Split; readonly outcome: Outcome; readonly durationMs: number }
  | {
      readonly kind: 'group-sent';
      readonly groupId: string;
      readonly status: string;
      /** Why it was put aside, or only recorded. */
      readonly reason?: string;
      readonly health: GroupHealth;
    }
  | { readonly kind: 'group-written'; readonly groupId: string; readonly health: GroupHealth }
  /** Dead groups that are not wanted, groups without all scores, groups that are too long or were refused. */
  | { readonly kind: 'group-dropped'; readonly reason: string }
  | { readonly kind: 'run-waiting'; readonly reason: string }
  | { readonly kind: 'run-paused'; readonly reason: string }
  | { readonly kind: 'run-resumed' }
  | { readonly kind: 'step-reached'; readonly step: number; readonly totalSteps: number | undefined }
  | { readonly kind: 'metrics-logged'; readonly step: number; readonly metrics: Readonly<Record<string, number>> }
  | { readonly kind: 'log'; readonly text: string };

export type OnRunEvent = (event: RunEvent) => void;
