import { z } from 'zod';

/** Who waits for whom. */
export const waitSchema = z.looseObject({
  /** `trainer`, `environment`, `inference`, `trajectory-api`, `engine`, `verifier`, `supervisor`. */
  who: z.string(),
  waits_for: z.string(),
  /** Milliseconds since 1970; null when nobody noted it. */
  since: z.int().nullable(),
  /** What it holds meanwhile. */
  holding: z.string().nullable(),
  /** As a sentence, with figures: `3 of 8 groups are ready`. */
  detail: z.string(),
});

export type Wait = z.infer<typeof waitSchema>;

/** What a run that does not move is held up by; `none` when it moves. */
export const STALL_CAUSES = Object.freeze([
  'none',
  'engine-down',
  'inference-refuses',
  'verifier-hangs',
  'groups-cannot-pack',
  'no-trainer',
  'no-environment',
  'process-restarts',
  'other-host',
  'not-learning',
  'run-ended',
  'unknown',
] as const);

/** Why a run that goes on does not learn, each with a judge of its own. */
export const LEARNING_CAUSES = Object.freeze([
  'learning-rate-zero',
  'verifier-fails',
  'template-without-tools',
  'unparsed-replies',
  'truncation',
  'no-reward',
  'collapse',
  'equal-groups',
  'stale-policy',
  'rate-too-high',
  'evaluation-flat',
  'temperature',
  'flat-reward',
] as const);

const learningFindingSchema = z.looseObject({
  cause: z.enum(LEARNING_CAUSES),
  /** The figures it was concluded from, by the name of their series or setting. */
  facts: z.record(z.string(), z.number()),
  /** The same as a sentence. */
  message: z.string(),
  /** What to type next. */
  command: z.string(),
});

/** Why a run does not learn, with the figures it was concluded from and what to type. */
export type LearningFinding = z.infer<typeof learningFindingSchema>;

/** Reply of `GET /runs/{id}/why`: what the run waits for, and what to do about it. */
export const whyReplySchema = z.looseObject({
  run_id: z.string(),
  status: z.string(),
  cause: z.enum(STALL_CAUSES),
  /** What is going on, and what to do. */
  message: z.string(),
  hint: z.string().nullable(),
  waits: z.array(waitSchema),
  /** Why it does not learn, the one that explains most first; empty when nothing speaks against it. A server of an earlier version says nothing. */
  learning: z.array(learningFindingSchema).optional(),
  /** How late the timers of each process fire, in milliseconds, by station. */
  event_loop_lag: z.record(z.string(), z.number().nullable()),
});

export type WhyReply = z.infer<typeof whyReplySchema>;

/** One step of the check before a start. */
export const preflightStepSchema = z.looseObject({
  name: z.enum([
    ...(['engine', 'model', 'tokenizer', 'teacher', 'settings', 'disk', 'environment', 'rollout', 'template'] as const),
    'rewards',
  ]),
  /** `warned`: the run starts, and something speaks against it. */
  state: z.enum(['passed', 'failed', 'skipped', 'warned']),
  message: z.string(),
  /** What to do, when it failed. */
  fix: z.string().nullable(),
  seconds: z.number().min(0),
});

export type PreflightStep = z.infer<typeof preflightStepSchema>;
