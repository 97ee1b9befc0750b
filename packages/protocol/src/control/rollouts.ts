import { z } from 'zod';

const count = z.int().min(0);
/** One entry per sequence; null where there is none. */
const perSequence = <T extends z.ZodType>(entry: T) => z.array(entry.nullable());

/** What is known of a group without its tokens. Lists have one entry per sequence. */
const outlineFields = {
  /** The environment's name for the task; made of the prompt where the environment gives none. */
  item: z.string(),
  environment: z.string().nullable(),
  /** Which rollout of the group each sequence belongs to, from 0. */
  rollouts: z.array(count),
  /** Null where a score is not a finite number. */
  scores: perSequence(z.number()),
  /** Mean over the trained tokens, as the step used it; null where the trainer has said nothing. */
  advantages: perSequence(z.number()),
  /** Tokens, the prompt among them. */
  lengths: z.array(count),
  trained_tokens: z.array(count),
  /** The oldest and the newest policy version that sampled it. */
  oldest_policy: perSequence(count),
  newest_policy: perSequence(count),
  /** Why it brought nothing to the step: `dead`, `too-long`, `not-trained`, `no-logprobs`, `uneven-rows`. */
  left_out: perSequence(z.string()),
  /** Mean |trainer − sampler| log probability of the trained tokens. */
  drift: perSequence(z.number()),
};

/** What the trainer keeps of the rollouts of a step, as a blob of compressed JSON: groups in the order of the batch. */
const report = z.looseObject({
  /** Of the weights, as the engine calls it: whose tokenizer makes text of the tokens. */
  base_model: z.string().optional(),
  groups: z.array(z.looseObject(outlineFields)),
});

/** A step of a run. What is null was not reported: by a trainer of before, or one that could not write it. */
const step = z.looseObject({
  step: count,
  /** As the trainer's ledger says: `done`, `empty`, `lost`, or where it is on its way. */
  state: z.string(),
  /** Of the weights before the step. */
  policy_version: count.nullable(),
  groups: count,
  rollouts: count.nullable(),
  mean_reward: z.number().nullable(),
  lowest_reward: z.number().nullable(),
  highest_reward: z.number().nullable(),
  trained_tokens: count.nullable(),
  /** What its rollouts take on disk. */
  bytes: count.nullable(),
  /** False once the retention has let go of them. */
  is_kept: z.boolean(),
  /** Whether log probabilities of the trainer are kept, of all its sequences or of some. */
  has_trainer_logprobs: z.boolean(),
  started_at: z.int(),
  ended_at: z.int().nullable(),
});

const outline = z.looseObject({
  group_id: z.string(),
  /** Its place in the batch. */
  index: count,
  ...outlineFields,
});

/** One per token, null for what is not finite; one loop, because these lists are long. */
const perToken = z.custom<(number | null)[]>(isPerToken, { error: 'is not a list of numbers' });

function isPerToken(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => each === null || Number.isFinite(each));
}

const sequence = z.looseObject({
  rollout: count,
  rollout_id: z.string().nullable(),
  score: z.number().nullable(),
  advantage: z.number().nullable(),
  length: count,
  trained_tokens: count,
  left_out: z.string().nullable(),
  drift: z.number().nullable(),
  /** Which policy version sampled which tokens: start, end (exclusive), version. */
  policy_versions: z.array(z.tuple([count, count, count])),
  /** The conversation, where the environment sent it. */
  messages: z.array(z.looseObject({ role: z.string() })).nullable(),
  /** The tokens as text, where the tokenizer of the run is on the server's machine. */
  text: z.string().nullable(),
  /** Absent with `?tokens=false`. */
  tokens: perToken.optional(),
  /** Each token as text; null where no tokenizer is at hand. */
  pieces: z.array(z.string()).nullable().optional(),
  /** 1 for a token that is trained on. */
  mask: perToken.optional(),
  /** Of the sampler, one per token; 1 where nothing was sampled. Null where the environment sent none. */
  logprobs: perToken.nullable().optional(),
  /** Of the trainer, one per token but the first; null where they were not kept. */
  trainer_logprobs: perToken.nullable().optional(),
  /** One per token, where the environment gave them itself. */
  token_advantages: perToken.nullable().optional(),
});

const group = z.looseObject({
  run_id: z.string(),
  group_id: z.string(),
  item: z.string(),
  environment: z.string().nullable(),
  /** Null for a group that was never trained on. */
  step: count.nullable(),
  policy_version: count.nullable(),
  received_at: z.int(),
  sequences: z.array(sequence),
});

/** The rollouts of a run: steps, the groups of one, and one group whole. */
export const rolloutSchemas = Object.freeze({
  report,
  step,
  list: z.looseObject({
    run_id: z.string(),
    /** The newest first. */
    steps: z.array(step),
    /** `before` of the next page; null on the last. */
    next: count.nullable(),
  }),
  listQuery: z.strictObject({
    /** Only steps that had a group of this item. */
    item: z.string().max(200).optional(),
    before: count.optional(),
    limit: z.int().min(1).max(1_000).optional(),
  }),
  page: z.looseObject({
    run_id: z.string(),
    step,
    groups: z.array(outline),
    /** `start` of the next page; null on the last. */
    next: count.nullable(),
  }),
  pageQuery: z.strictObject({
    /** The place in the batch to begin with. */
    start: count.optional(),
    limit: z.int().min(1).max(1_024).optional(),
  }),
  group,
  groupQuery: z.strictObject({
    /** False leaves out tokens, mask and log probabilities. */
    tokens: z.boolean().optional(),
  }),
});

/** A step of a run and what its rollouts came to. */
export type RolloutStep = z.infer<typeof step>;

/** A group of a step: scores, advantages and measures of its sequences, without their tokens. */
export type RolloutOutline = z.infer<typeof outline>;

/** A group with its messages, tokens, mask and log probabilities. */
export type RolloutGroup = z.infer<typeof group>;
