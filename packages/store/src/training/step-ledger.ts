import type { IdSource } from '@lachesis/protocol';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import type { StepState, StepsTable } from '../schema/training.ts';

export interface StepLedgerOptions {
  store: Store;
  tenantId: string;
  runId: string;
  incarnationId: string;
  ids: IdSource;
}

/** Which batch made which step of which model, and how far that has come. */
export interface StepRecord {
  step: number;
  state: StepState;
  batchId: string;
  epoch: number;
  groupCount: number;
  modelId: string | null;
  firstSequence: number | null;
  policyVersion: number | null;
  weightsPath: string | null;
  statePath: string | null;
  reason: string | null;
  startedAt: number;
  endedAt: number | null;
}

/** What moves on; what is absent stays as it is. */
export type StepChange = Partial<
  Pick<StepRecord, 'epoch' | 'firstSequence' | 'modelId' | 'policyVersion' | 'reason' | 'statePath' | 'weightsPath'>
> & { state: StepState };

/** Which batch became which optimiser step, written before the step is made, so that none is made twice. */
export interface StepLedger {
  /** Takes the next step for a leased batch. Refused when the step is taken already by a batch that was not given back. */
  open(step: { step: number; batchId: string; epoch: number; groupCount: number }): Promise<void>;
  /** Notes how far a step has come. On disk when it resolves. */
  advance(step: number, change: StepChange): Promise<void>;
  /** The batch of a step held nothing to learn from: it is kept under a number below 0, and the step is free again. */
  setAside(step: number): Promise<void>;
  /** The steps after the weights went back to `step`: they are in no weights any more. */
  loseAfter(step: number, reason: string): Promise<number>;
  /**
   * The weights are those after `step`, in another model: what came later is in no weights and free to be made again, under
   * the same numbers. One write, so that no process finds a model and a number that do not belong together.
   */
  rewind(step: number, change: { modelId: string; reason: string }): Promise<number>;
  /** The highest step so far, 0 before the first. One whose batch was given back is free again. */
  lastStep(): Promise<number>;
  /** Steps that have not come to their end, the oldest first. */
  unfinished(): Promise<StepRecord[]>;
  /** Steps of a batch, the newest first; a batch can have several when its lease ended or weights were lost. */
  ofBatch(batchId: string): Promise<StepRecord[]>;
  /** The newest step whose weights and optimiser can be loaded. */
  latestState(): Promise<StepRecord | undefined>;
  /** The newest step that was sent to a model. */
  latestOnModel(): Promise<StepRecord | undefined>;
  /** Its saved weights were deleted. */
  forgetState(step: number): Promise<void>;
}

const ENDED: readonly StepState[] = ['done', 'empty', 'returned', 'lost'];
/** States in which the weights hold the step. */
const EFFECTIVE: readonly StepState[] = ['stepped', 'saved', 'done'];

/** The ledger of the steps of one incarnation of a run. */
export function openStepLedger({ store, tenantId, runId, incarnationId, ids }: StepLedgerOptions): StepLedger {
  const { db, dialect } = store;
  const mine = () =>
    db.selectFrom('steps').selectAll().where('tenant_id', '=', tenantId).where('incarnation_id', '=', incarnationId);
  const write = () =>
    db.updateTable('steps').where('tenant_id', '=', tenantId).where('incarnation_id', '=', incarnationId);

  return {
    async open({ step, batchId, epoch, groupCount }) {
      const query = db
        .insertInto('steps')
        .values({
          tenant_id: tenantId,
          step_id: ids.next(),
          run_id: runId,
          incarnation_id: incarnationId,
          step,
          batch_id: batchId,
          epoch,
          group_count: groupCount,
          state: 'leased',
          started_at: databaseClock(dialect),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['tenant_id', 'incarnation_id', 'step'])
            .doUpdateSet((eb) => ({
              batch_id: eb.ref('excluded.batch_id'),
              epoch: eb.ref('excluded.epoch'),
              group_count: eb.ref('excluded.group_count'),
              state: eb.ref('excluded.state'),
              started_at: eb.ref('excluded.started_at'),
              ended_at: null,
              model_id: null,
              first_sequence: null,
              policy_version: null,
              weights_path: null,
              state_path: null,
              reason: null,
            }))
            .where('steps.state', '=', 'returned'),
        )
        .compile();
      await store.commit({ statements: [{ query, expectRows: 1 }] });
    },
    async advance(step, change) {
      const query = write()
        .set({
          ...toColumns(change),
          ...(ENDED.includes(change.state) ? { ended_at: databaseClock(dialect) } : {}),
        })
        .where('step', '=', step)
        .compile();
      await store.commit({ statements: [{ query, expectRows: 1 }] });
    },
    async setAside(step) {
      const lowest = await mine().orderBy('step').limit(1).executeTakeFirst();
      const query = write()
        .set({ step: Math.min(0, lowest?.step ?? 0) - 1, state: 'empty', ended_at: databaseClock(dialect) })
        .where('step', '=', step)
        .compile();
      await store.commit({ statements: [{ query, expectRows: 1 }] });
    },
    async loseAfter(step, reason) {
      const lost = await mine()
        .where('step', '>', step)
        .where('state', 'in', [...EFFECTIVE])
        .execute();
      const query = write()
        .set({ state: 'lost', reason, state_path: null })
        .where('step', '>', step)
        .where('state', 'in', [...EFFECTIVE])
        .compile();
      await store.commit({ statements: [{ query }] });
      return lost.length;
    },
    async rewind(step, { modelId, reason }) {
      const later = await mine().where('step', '>', step).where('state', '!=', 'returned').execute();
      const free = write()
        .set({ state: 'returned', reason, model_id: null, state_path: null, ended_at: databaseClock(dialect) })
        .where('step', '>', step)
        .where('state', '!=', 'returned')
        .compile();
      const moved = write().set({ model_id: modelId }).where('step', '=', step).compile();
      await store.commit({ statements: [{ query: free }, { query: moved }] });
      return later.length;
    },
    async lastStep() {
      const row = await mine()
        .where('state', '!=', 'returned')
        .where('step', '>', 0)
        .orderBy('step', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.step ?? 0;
    },
    async unfinished() {
      const rows = await mine()
        .where('state', 'not in', [...ENDED])
        .orderBy('step')
        .execute();
      return rows.map(toRecord);
    },
    async ofBatch(batchId) {
      const rows = await mine().where('batch_id', '=', batchId).orderBy('step', 'desc').execute();
      return rows.map(toRecord);
    },
    async latestState() {
      const row = await mine()
        .where('state_path', 'is not', null)
        .where('state', 'in', [...EFFECTIVE])
        .orderBy('step', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : toRecord(row);
    },
    async latestOnModel() {
      const row = await mine().where('model_id', 'is not', null).orderBy('step', 'desc').limit(1).executeTakeFirst();
      return row === undefined ? undefined : toRecord(row);
    },
    async forgetState(step) {
      const query = write().set({ state_path: null }).where('step', '=', step).compile();
      await store.commit({ statements: [{ query }] });
    },
  };
}

function toColumns(change: StepChange): Partial<StepsTable> {
  const { state, epoch, modelId, firstSequence, policyVersion, weightsPath, statePath, reason } = change;
  return Object.fromEntries(
    Object.entries({
      state,
      epoch,
      model_id: modelId,
      first_sequence: firstSequence,
      policy_version: policyVersion,
      weights_path: weightsPath,
      state_path: statePath,
      reason,
    }).filter(([, value]) => value !== undefined),
  );
}

function toRecord(row: StepsTable): StepRecord {
  return {
    step: row.step,
    state: row.state ?? 'done',
    batchId: row.batch_id ?? '',
    epoch: row.epoch ?? 0,
    groupCount: row.group_count ?? 0,
    modelId: row.model_id,
    firstSequence: row.first_sequence,
    policyVersion: row.policy_version,
    weightsPath: row.weights_path,
    statePath: row.state_path,
    reason: row.reason,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
