/** One registered version of a named model. */
export interface ModelVersionsTable {
  tenant_id: string;
  model_version_id: string;
  name: string;
  version: number;
  base_model: string;
  method: string;
  /** Where an engine finds the weights to sample from; empty for the base model itself. */
  weights_path: string;
  /** Where training can go on from. */
  state_path: string | null;
  run: string | null;
  step: number | null;
  /** The version it was trained from. */
  parent: string | null;
  /** JSON: name, version and digest of the data set. */
  dataset: string | null;
  /** JSON: the settings it was trained with. */
  config: string;
  /** sha256 of name, run, step and weights: what is registered again is found by it. */
  identity: string;
  created_at: number;
}

/** How a version did, once for each evaluation of a name and a result. */
export interface ModelEvaluationsTable {
  tenant_id: string;
  model_version_id: string;
  evaluation_id: string;
  name: string;
  /** JSON, as its maker said it. */
  content: string;
  content_digest: string;
  created_at: number;
}

/** The history of what is promoted, one row for each change. The last one of a name says what it serves. */
export interface ModelPromotionsTable {
  tenant_id: string;
  name: string;
  /** 1, 2, 3, … */
  ordinal: number;
  /** `promoted` or `rolled-back`. */
  kind: string;
  model_version_id: string;
  version: number;
  reason: string;
  author: string;
  at: number;
}

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
  /** `server`: a server takes it up whenever nobody brings it on. Null: whoever began it does, or resumes it. */
  runner: string | null;
  /** What its stage is doing, as a sentence. */
  progress: string | null;
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
