import type { Ledger } from '@lachesis/protocol';
import { renderEnvironmentStatus } from '../atropos/render-status.ts';
import { isBalanced, readLedger } from '../queue/ledger.ts';
import { currentStep, type QueueState } from '../queue/state.ts';
import type { CommandContext } from './command.ts';
import { recordHeartbeat } from './heartbeat.ts';

/** A look at the run as its owner knows it. */
const seen =
  <Output>(look: (state: QueueState) => Output) =>
  ({ run }: CommandContext): Promise<Output> =>
    run.queue.read(look);

async function environmentStatus(
  { run, settings, monotonic, silentMs }: CommandContext,
  { envId }: { envId: number },
): Promise<string | null> {
  const json = await run.queue.readCommitted((state) => renderEnvironmentStatus(state, envId, settings.strictAtropos));
  if (json !== null) await recordHeartbeat(run, envId, { now: monotonic(), silentMs });
  return json;
}

function toLedger(state: QueueState): Ledger {
  const ledger = readLedger(state);
  return {
    run_id: state.runId,
    incarnation_id: state.incarnationId,
    produced: ledger.produced,
    pending: ledger.pending,
    buffered: ledger.buffered,
    formed: ledger.formed,
    leased: ledger.leased,
    delivered_unconfirmed: ledger.deliveredUnconfirmed,
    trained: ledger.trained,
    quarantined: ledger.quarantined,
    dropped: ledger.dropped,
    balanced: isBalanced(ledger),
  };
}

export const viewCommands = {
  wandbInfo: seen(({ record: { registration } }) => ({
    group: registration?.wandbGroup ?? null,
    project: registration?.wandbProject ?? null,
  })),
  info: seen(({ record: { registration, carried } }) => ({
    batch_size: registration?.batchSize ?? -1,
    max_token_len: registration?.maxTokenLen ?? carried.maxTokenLen,
  })),
  latest: seen(({ record }) => record.latest),
  ids: seen(({ runId, incarnationId }) => ({ runId, incarnationId })),
  status: ({ run, settings }: CommandContext) =>
    run.queue.readCommitted((state) => ({
      current_step: currentStep(state, { countsFormed: !settings.strictAtropos }),
      queue_size: state.statistics.groupCount,
    })),
  ledger: ({ run }: CommandContext) => run.queue.readCommitted(toLedger),
  environmentStatus,
};
