/** One way from ratings to a better model, and where it stands. */
export interface ImprovementsTable {
  tenant_id: string;
  improvement_id: string;
  /** The name in the registry that gets better. */
  model: string;
  /** JSON text: what was asked for, as its maker said it. */
  plan: string;
  /** What is to be done next; the last one done when it has ended. */
  stage: string;
  /** How it ended; null while it is open. */
  outcome: string | null;
  /** Why it ended so, as a sentence. */
  reason: string | null;
  /** What stopped the last try at its stage, as a sentence; it can be tried again. */
  problem: string | null;
  created_at: number;
  changed_at: number;
  ended_at: number | null;
}

/** What a stage of an improvement came to. Appended, never changed. */
export interface ImprovementStagesTable {
  tenant_id: string;
  improvement_id: string;
  /** 1, 2, 3, … */
  ordinal: number;
  stage: string;
  /** JSON text. */
  content: string;
  at: number;
}
