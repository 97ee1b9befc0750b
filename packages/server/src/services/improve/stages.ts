import type { Improvement, Store } from '@lachesis/store';
import type { ImprovePlan } from '@lachesis/protocol';

/** In the order they are done. */
export const IMPROVE_STAGES = ['collect', 'filter', 'rate', 'dataset', 'train', 'evaluate', 'promote'] as const;

export type ImproveStage = (typeof IMPROVE_STAGES)[number];

/** What each stage came to. It is written down before the next one begins, and is all that the next one knows of it. */
export interface StageContents {
  /** Everything that was recorded is in the store. */
  collect: {
    /** Ratings from here on are new: when the improvement before this one read its rows. */
    since: number;
    /** What the improvement before this one came to, where it used its ratings. */
    last: LastImprovement | null;
    until: number;
    /** Calls that were still in outboxes. */
    drained: number;
    /** What is served, and so what has to be beaten: `name@version`; null for the base model. */
    from: string | null;
    from_version_id: string | null;
  };
  filter: {
    trajectories: number;
    /** How many of them came from where. */
    by_source: { model: string | null; source: string; trajectories: number }[];
  };
  rate: {
    /** Ratings that hold and are new. */
    ratings: number;
    /** Of these, what rules or the judge said just now. */
    rated: number;
  };
  dataset: {
    /** `name@version`; null when there was not one row. */
    dataset: string | null;
    digest: string | null;
    rows: number;
    /** `name@version` of the rows for measuring. */
    held_out: string | null;
    held_out_rows: number;
    /** What was not taken, and why. */
    left_out: { reason: string; count: number }[];
    /** When the rows were read: what is rated from here on is for the next one. */
    until: number;
  };
  train: {
    run: string;
    model: string;
    model_version_id: string;
    base_model: string;
    weights_path: string;
    steps: number;
    metrics: Record<string, number>;
  };
  evaluate: {
    items: number;
    /** What the scores are: `replies` from 0 to 1, `likelihood` of what people preferred. */
    by: string;
    current_mean: number;
    candidate_mean: number;
    difference: number;
    /** 95 %; null when there are too few items for one. */
    interval: [number, number] | null;
    better: number;
    worse: number;
    /** How much likelier a token of the preferred replies became, in nats; null where that was not measured. */
    preferred_shift: number | null;
    /** A few held-out prompts, and what each model replies; what a person wants forgotten goes from here too. */
    examples: { trajectory_id: string | null; prompt: string; before: string; after: string }[];
  };
  promote: {
    model: string;
    served_before: string | null;
    /** Somebody promoted another version while this one was made. */
    overtaken_by: string | null;
  };
}

/** How the improvement before this one ended. */
export interface LastImprovement {
  readonly outcome: string;
  readonly ended_at: number;
  /** `name@version` that it trained; null where it ended before. */
  readonly model: string | null;
  readonly ratings: number;
  readonly dataset: string | null;
  readonly rows: number;
}

export interface StageContext {
  /** What a stage writes is kept only while the improvement is this process's. */
  readonly store: Store;
  readonly improvement: Improvement;
  readonly plan: ImprovePlan;
  /** What the stages before came to. */
  readonly done: Partial<StageContents>;
  readonly signal: AbortSignal;
  /** One sentence for a person. */
  say(detail: string): void;
}

/**
 * What is done in each stage. A process may die in it or right behind it, before its end is written down: done again it
 * has to come to the same, with what is there already.
 */
export type ImproveDeps = {
  readonly [Stage in ImproveStage]: (context: StageContext) => Promise<StageContents[Stage]>;
};

export function needDone<Stage extends ImproveStage>(done: Partial<StageContents>, stage: Stage): StageContents[Stage] {
  const content = done[stage];
  if (content === undefined) throw new Error(`this stage comes after ${stage}, of which nothing is written down`);
  return content;
}
