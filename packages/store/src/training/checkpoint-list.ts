import { databaseClock } from '../database/database-clock.ts';
import type { CheckpointsTable } from '../schema/training.ts';
import type { StepLedgerOptions } from './step-ledger.ts';

/** Weights and optimiser after a step, kept by the engine under a path. */
export interface CheckpointRecord {
  step: number;
  policyVersion: number;
  modelId: string;
  statePath: string;
  weightsPath: string | null;
  isFinal: boolean;
  /** How it did in an evaluation, when there was one. */
  evaluation: number | null;
  createdAt: number;
}

/** The checkpoints of a training run: noted when the engine has saved them, forgotten when it has deleted them. */
export interface CheckpointList {
  /** Notes a checkpoint that the engine has saved. */
  add(checkpoint: Omit<CheckpointRecord, 'createdAt' | 'evaluation'>): Promise<void>;
  /** Those that were not deleted, the newest first. */
  list(): Promise<CheckpointRecord[]>;
  /** The one with the highest evaluation. */
  best(): Promise<CheckpointRecord | undefined>;
  /** Notes how the checkpoint of a step did. False when there is none. */
  evaluate(step: number, evaluation: number): Promise<boolean>;
  /**
   * Its weights may be deleted from here on; the row stays. False, and nothing is written, where a name of the registry serves
   * them or has served them: somebody may go back to those.
   */
  forget(step: number): Promise<boolean>;
}

/** The list of the checkpoints of one incarnation of a run. */
export function openCheckpointList({ store, tenantId, runId, incarnationId, ids }: StepLedgerOptions): CheckpointList {
  const { db, dialect } = store;
  const mine = () =>
    db
      .selectFrom('checkpoints')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('incarnation_id', '=', incarnationId)
      .where('deleted_at', 'is', null);
  const write = (step: number) =>
    db
      .updateTable('checkpoints')
      .where('tenant_id', '=', tenantId)
      .where('incarnation_id', '=', incarnationId)
      .where('step', '=', step);

  return {
    async add({ step, policyVersion, modelId, statePath, weightsPath, isFinal }) {
      const query = db
        .insertInto('checkpoints')
        .values({
          tenant_id: tenantId,
          checkpoint_id: ids.next(),
          run_id: runId,
          incarnation_id: incarnationId,
          step,
          policy_version: policyVersion,
          model_id: modelId,
          state_path: statePath,
          weights_path: weightsPath,
          is_final: isFinal ? 1 : 0,
          created_at: databaseClock(dialect),
        })
        // Died after the write and before the next step: the same checkpoint is noted once more.
        .onConflict((conflict) =>
          conflict.columns(['tenant_id', 'incarnation_id', 'step']).doUpdateSet((eb) => ({
            policy_version: eb.ref('excluded.policy_version'),
            model_id: eb.ref('excluded.model_id'),
            state_path: eb.ref('excluded.state_path'),
            weights_path: eb.ref('excluded.weights_path'),
            is_final: eb.ref('excluded.is_final'),
            deleted_at: null,
          })),
        )
        .compile();
      await store.commit({ statements: [{ query, expectRows: 1 }] });
    },
    async list() {
      return (await mine().orderBy('step', 'desc').execute()).map(toRecord);
    },
    async best() {
      const row = await mine()
        .where('evaluation', 'is not', null)
        .orderBy('evaluation', 'desc')
        .orderBy('step', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : toRecord(row);
    },
    async evaluate(step, evaluation) {
      const found = await mine().where('step', '=', step).executeTakeFirst();
      if (found === undefined) return false;
      await store.commit({ statements: [{ query: write(step).set({ evaluation }).compile(), expectRows: 1 }] });
      return true;
    },
    async forget(step) {
      const query = write(step)
        .where('deleted_at', 'is', null)
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('model_promotions')
                .innerJoin('model_versions', (join) =>
                  join
                    .onRef('model_versions.tenant_id', '=', 'model_promotions.tenant_id')
                    .onRef('model_versions.model_version_id', '=', 'model_promotions.model_version_id'),
                )
                .select('model_promotions.ordinal')
                .whereRef('model_promotions.tenant_id', '=', 'checkpoints.tenant_id')
                .whereRef('model_versions.weights_path', '=', 'checkpoints.weights_path'),
            ),
          ),
        )
        .set({ deleted_at: databaseClock(dialect) })
        .compile();
      await store.commit({ statements: [{ query }] });
      return (await mine().where('step', '=', step).executeTakeFirst()) === undefined;
    },
  };
}

function toRecord(row: CheckpointsTable): CheckpointRecord {
  return {
    step: row.step,
    policyVersion: row.policy_version,
    modelId: row.model_id,
    statePath: row.state_path,
    weightsPath: row.weights_path,
    isFinal: row.is_final === 1,
    evaluation: row.evaluation,
    createdAt: row.created_at,
  };
}
