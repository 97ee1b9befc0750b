import type { Logger } from 'pino';
import type { TrainingSequence } from '../datums/convert-group.ts';
import type { TrainingEngine } from '../../engine/engine.ts';

/** The weights a run began with, frozen. */
export interface Reference {
  /** Log probabilities of the targets, one array per sequence. */
  logprobs(sequences: readonly TrainingSequence[]): Promise<readonly Float32Array[]>;
  /** Frees its place in the engine. */
  close(): Promise<void>;
}

/**
 * A second model in the engine that is never trained: what a new model of this run begins with. A process that was killed
 * leaves its own behind; those are freed first, because an engine has few places.
 */
export async function openReference(options: {
  engine: TrainingEngine;
  /** The model that is trained. */
  trained: string;
  log: Logger;
}): Promise<Reference> {
  const { engine, trained, log } = options;
  for (const modelId of await engine.listOpen()) {
    if (modelId === trained) continue;
    await free(async () => (await engine.attach(modelId))?.close(), log, modelId);
  }
  const model = await engine.create();
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
