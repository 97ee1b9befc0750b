import type { ServerLink } from '../link/server-link.ts';
import type { TrainingClient } from '../training/training-client.ts';

/** Longer than an unload takes on a busy engine. */
const GIVE_BACK_MS = 30_000;

/**
 * Unloads a model that could not be made ready, because the places of an engine are few. Nobody waits for it: the caller has
 * an error and a deadline of its own, and a place that is not given back goes with the session.
 */
export function giveBack(training: TrainingClient, link: ServerLink): void {
  const { modelId } = training.model;
  training.close({ timeoutMs: GIVE_BACK_MS }).catch((error: Error) => {
    link.transport.onEvent({ type: 'clear-failed', modelId, reason: error.message });
  });
}
