import type { ModelImprovement } from '@lachesis/protocol';
import { listImprovements } from '@lachesis/store';
import type { ModelScope } from './models.ts';

/** Improvements, the newest first: where each stands, and how it ended. */
export async function listModelImprovements({
  model,
  ...scope
}: ModelScope & { model?: string | undefined }): Promise<ModelImprovement[]> {
  const found = await listImprovements({ ...scope, model });
  return found.map((improvement) => ({
    improvement_id: improvement.improvementId,
    model: improvement.model,
    stage: improvement.stage,
    outcome: improvement.outcome,
    reason: improvement.reason,
    problem: improvement.problem,
    stages: improvement.stages.map(({ stage, content }) => ({ stage, content })),
    created_at: improvement.createdAt,
    ended_at: improvement.endedAt,
  }));
}
