import type { RegistrationRecord } from '@lachesis/store';
import { recordEvent, type Turn } from './turn.ts';

/** The first registration of an incarnation counts; later ones are answered and change nothing, as in the original. */
export function registerTrainer(turn: Turn, registration: RegistrationRecord): { registration: RegistrationRecord } {
  const { record } = turn.state;
  if (record.registration !== null) return { registration: record.registration };
  record.registration = registration;
  record.carried = {
    maxTokenLen: registration.maxTokenLen,
    checkpointDir: registration.checkpointDir,
    saveCheckpointInterval: registration.saveCheckpointInterval,
  };
  recordEvent(turn, 'trainer-registered', {
    batch_size: registration.batchSize,
    starting_step: registration.startingStep,
    num_steps: registration.numSteps,
  });
  return { registration };
}

/** A trainer that asks for data has started; environments may register from here on. */
export function markStarted(turn: Turn): void {
  if (turn.state.record.started) return;
  turn.state.record.started = true;
  recordEvent(turn, 'trainer-started', {});
}
