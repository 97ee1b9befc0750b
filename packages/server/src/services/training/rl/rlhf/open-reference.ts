import type { Logger } from 'pino';
import type { TrainingSequence } from '../datums/convert-group.ts';
import type { TrainingEngine } from '../../engine/engine.ts';

/** Weights that are not trained, asked how likely they find what was sampled: those a run began with, or a teacher's. */
export interface Reference {
  /** Log probabilities of the targets, one array per sequence. */
  logprobs(sequences: readonly Pick<TrainingSequence, 'datum'>[]): Promise<readonly Float32Array[]>;
  /** Frees its place. */
  close(): Promise<void>;
}

/**
 * A model in the engine that is never trained: what the engine makes when it is asked for a new one. A process that was killed
 * leaves its own behind; those are freed first, because an engine has few places.
 */
export async function openReference(options: {
  engine: TrainingEngine;
  /** The model that is trained, where the same engine has it. */
  trained?: string | undefined;
  /** A saved state to take instead. */
  from?: string | undefined;
  log: Logger;
}): Promise<Reference> {
  const { engine, trained, from, log } = options;
  for (const modelId of await engine.listOpen()) {
    if (modelId === trained) continue;
    await free(async () => (await engine.attach(modelId))?.close(), log, modelId);
  }
  const model = await (from === undefined ? engine.create() : engine.restore(from));
  return {
    async logprobs(sequences) {
      const datums = sequences.map(({ datum: { inputs, ...datum } }) => ({
        ...datum,
        inputs: { target_tokens: inputs.target_tokens, weights: inputs.weights },
      }));
      return (await model.forward(datums)).logprobs;
    },
    close: () => free(() => model.close(), log, model.model.modelId),
  };
}

async function free(close: () => Promise<unknown>, log: Logger, modelId: string): Promise<void> {
  try {
    await close();
  } catch (error) {
    // It costs a place in the engine until the session ends, and no step.
    log.warn({ err: error, model: modelId }, 'a model that is not needed any more could not be unloaded');
  }
}
