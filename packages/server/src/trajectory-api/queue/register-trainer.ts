import type { QueueSnapshot } from '@lachesis/store';
import { recordEvent, type Transaction } from './transaction.ts';

type RegistrationRecord = NonNullable<QueueSnapshot['state']['registration']>;

/** The first registration of an incarnation counts; later ones are answered and change nothing, as in the original. */
export function registerTrainer(
  transaction: Transaction,
  registration: RegistrationRecord,
): { registration: RegistrationRecord } {
  const { record } = transaction.state;
  if (record.registration !== null) return { registration: record.registration };
  record.registration = registration;
  record.carried = {
    maxTokenLen: registration.maxTokenLen,
    checkpointDir: registration.checkpointDir,
    saveCheckpointInterval: registration.saveCheckpointInterval,
  };
  recordEvent(transaction, 'trainer-registered', {
    batch_size: registration.batchSize,
    starting_step: registration.startingStep,
    num_steps: registration.numSteps,
  });
  return { registration };
}

/** A trainer that asks for data has started; environments may register from here on. */
export function markStarted(transaction: Transaction): void {
  if (transaction.state.record.started) return;
  transaction.state.record.started = true;
  recordEvent(transaction, 'trainer-started', {});
}
