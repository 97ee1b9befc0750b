import {
  registerEnvironment as register,
  resolveEnvironment,
  setEnvironmentConnected,
  type EnvironmentRegistration,
  type RegisterEnvironmentResult,
} from '../queue/environments.ts';
import { registerTrainer as registerTrainerVerb } from '../queue/register-trainer.ts';
import { resetRun } from '../queue/reset-run.ts';
import { currentStep, type QueueState } from '../queue/state.ts';
import type { CommandContext } from './command.ts';

type Registration = Parameters<typeof registerTrainerVerb>[1];

export function registerTrainer(
  { run }: CommandContext,
  registration: Registration,
): Promise<{ run_id: string; incarnation_id: string; batch_size: number; current_step: number }> {
  return run.queue.execute((transaction) => {
    const { registration: inForce } = registerTrainerVerb(transaction, registration);
    const { state, rules } = transaction;
    return {
      run_id: state.runId,
      incarnation_id: state.incarnationId,
      batch_size: inForce.batchSize,
      current_step: currentStep(state, { countsFormed: rules.deviates }),
    };
  });
}

export async function registerEnvironment(
  { run, monotonic }: CommandContext,
  registration: EnvironmentRegistration,
): Promise<{ registered: RegisterEnvironmentResult; carried: QueueState['record']['carried']; numSteps: number }> {
  const result = await run.queue.execute((transaction) => {
    const registered = register(transaction, registration);
    const { registration: trainer, carried } = transaction.state.record;
    return { registered, carried, numSteps: trainer?.numSteps ?? -1 };
  });
  if (result.registered.kind === 'registered') run.heardAt.set(result.registered.environment.ordinal, monotonic());
  return result;
}

/** False when there is no such environment. */
export function disconnectEnvironment({ run }: CommandContext, { envId }: { envId: number }): Promise<boolean> {
  return run.queue.execute((transaction) => {
    const environment = resolveEnvironment(transaction.state, envId);
    if (environment === undefined) return false;
    setEnvironmentConnected(transaction, environment, { connected: false, reason: 'asked' });
    return true;
  });
}

export async function reset({ run }: CommandContext): Promise<void> {
  await run.queue.execute((transaction) => resetRun(transaction, 'reset'), { isExclusive: true });
  run.heardAt.clear();
  run.notedAt.clear();
}
