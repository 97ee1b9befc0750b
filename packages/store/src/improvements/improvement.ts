import type { LeaseColumns } from '../leases/with-lease.ts';
import type { JsonObject } from '../models/model-version.ts';
import type { ImprovementsTable, ImprovementStagesTable } from '../schema/models.ts';

/** What a stage came to. */
export interface ImprovementStage {
  stage: string;
  content: JsonObject;
  at: number;
}

/** Who takes an improvement up without being asked. */
export type ImprovementRunner = 'server';

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
  /** A server takes it up whenever nobody brings it on. */
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
    runner: row.runner === 'server' ? 'server' : null,
    progress: row.progress,
  };
}
