import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { StepRow } from './judge-steps.ts';

/** The trainer's ledger of a run, read from the store itself. */
export function readStepRows({ home, runId }: { home: string; runId: string }): readonly StepRow[] {
  using database = new DatabaseSync(join(home, 'lachesis.db'), { readOnly: true });
  return database
    .prepare(
      'SELECT step, state, batch_id AS batchId, group_count AS groups, model_id AS modelId FROM steps WHERE run_id = ? ORDER BY step',
    )
    .all(runId) as unknown as StepRow[];
}

/**
 * Optimiser steps by model, as the engine wrote them down: of how many sequences the gradients of each were. Those at rate 0
 * empty a model that is closed.
 */
export function readOptimizerSteps(engineDirectory: string): ReadonlyMap<string, readonly number[]> {
  using database = new DatabaseSync(join(engineDirectory, 'tinker.db'), { readOnly: true });
  const rows = database
    .prepare(
      "SELECT request_type, model_id, request_data FROM futures WHERE request_type IN ('FORWARD_BACKWARD', 'OPTIM_STEP') AND status = 'COMPLETED' ORDER BY request_id",
    )
    .all() as unknown as { request_type: string; model_id: string; request_data: string }[];
  const steps = new Map<string, number[]>();
  const waiting = new Map<string, number>();
  for (const { request_type: type, model_id: modelId, request_data: text } of rows) {
    const fields = JSON.parse(text) as { data?: readonly unknown[]; adam_params?: { learning_rate: number } };
    const sequences = waiting.get(modelId) ?? 0;
    if (type === 'FORWARD_BACKWARD') {
      waiting.set(modelId, sequences + (fields.data?.length ?? 0));
    } else {
      waiting.delete(modelId);
      if ((fields.adam_params?.learning_rate ?? 0) > 0) steps.set(modelId, [...(steps.get(modelId) ?? []), sequences]);
    }
  }
  return steps;
}
