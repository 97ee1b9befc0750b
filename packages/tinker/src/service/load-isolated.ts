import { readText } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { LoadedModel } from '../sampling/isolated-models.ts';
import type { TrainingClient } from '../training/training-client.ts';
import type { Deadline } from '../transport/deadline.ts';
import { giveBack } from './give-back.ts';
import type { CreateTrainingOptions } from './model-options.ts';

/** Makes a model that holds saved weights and is only sampled. It never has a gradient, and is unloaded after use. */
export async function loadIsolated(options: {
  link: ServerLink;
  path: string;
  deadline: Deadline;
  create: (model: CreateTrainingOptions, deadline: Deadline) => Promise<TrainingClient>;
}): Promise<LoadedModel> {
  const { link, path, deadline, create } = options;
  const info = await link.post('weights_info', { tinker_path: path }, { deadline, required: ['tinker_path'] });
  const baseModel = readText(info, 'base_model', 'weights_info');
  const rank = typeof info['lora_rank'] === 'number' ? info['lora_rank'] : undefined;
  const training = await create({ baseModel, rank }, deadline);
  const wait = { timeoutMs: deadline.remainingMs(), signal: deadline.signal };
  try {
    const loading = training.loadState(path, { ...wait, optimizer: false });
    // Sent behind it at once: an engine that looks for work ten times a second does both at one look.
    const [{ samplingSessionId }] = await Promise.all([training.saveForSession(wait), loading]);
    return { samplingSessionId, unload: () => training.close() };
  } catch (error) {
    giveBack(training, link);
    throw error;
  }
}
