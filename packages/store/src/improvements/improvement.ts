import type { LeaseColumns } from '../leases/with-lease.ts';
import type { JsonObject } from '../models/model-version.ts';
import type { ImprovementsTable, ImprovementStagesTable } from '../schema/models.ts';

/** What a stage came to. */
export interface ImprovementStage {
  stage: string;
  content: JsonObject;
  at: number;
}

/**
 * Whether a server was asked for it: `server` takes it up without being asked, `server-paused` is one that it gave up. Who has a
 * token wrote its plan, so it is never null again.
 */
export type ImprovementRunner = 'server' | 'server-paused';

/** One way from ratings to a better model. */
export interface Improvement {
  tenantId: string;
  improvementId: string;
  /** The name in the registry that gets better. */
  model: string;
  plan: JsonObject;
  /** What is to be done next; the last one done when it has ended. */
  stage: string;
  outcome: string | null;
  reason: string | null;
  /** What stopped the last try at its stage. */
  problem: string | null;
  /** The stages that are done, the first one first. */
  stages: ImprovementStage[];
  createdAt: number;
  changedAt: number;
  endedAt: number | null;
  /** Of the lease of who brings it on; 0 before the first one. */
  epoch: number;
  holder: string | null;
  leaseExpiresAt: number | null;
  /** Null: one that was begun at home. */
  runner: ImprovementRunner | null;
  /** What its stage is doing, as its holder last said. */
  progress: string | null;
}

export function toImprovement(
  row: ImprovementsTable & LeaseColumns,
  stages: readonly ImprovementStagesTable[],
): Improvement {
  return {
    tenantId: row.tenant_id,
    improvementId: row.improvement_id,
    model: row.model,
    plan: JSON.parse(row.plan) as JsonObject,
    stage: row.stage,
    outcome: row.outcome,
    reason: row.reason,
    problem: row.problem,
    stages: stages.map(({ stage, content, at }) => ({ stage, content: JSON.parse(content) as JsonObject, at })),
    createdAt: row.created_at,
    changedAt: row.changed_at,
    endedAt: row.ended_at,
    epoch: row.epoch ?? 0,
    holder: row.holder,
    leaseExpiresAt: row.lease_expires_at,
    runner: row.runner as ImprovementRunner | null,
    progress: row.progress,
  };
}
