import type { Logger } from 'pino';
import type { EngineModel, TrainingEngine } from '../../engine/engine.ts';
import { TrainerError } from '../../trainer-error.ts';
import { openReference, type Reference } from './open-reference.ts';

/** A reference that is not the weights the run began with: after which step it was taken, and its state in the engine. */
export interface ReferencePin {
  step: number;
  statePath: string;
}

/** Where a run keeps which reference it has. */
export interface ReferenceRecord {
  read(): Promise<ReferencePin | undefined>;
  write(pin: ReferencePin): Promise<void>;
}

/** A reference that becomes the policy of the moment every so many steps. */
export interface ResettingReference extends Reference {
  /** Called before a step; nothing of it is with the engine yet. */
  prepare(step: number): Promise<void>;
}

export async function openResettingReference(options: {
  engine: TrainingEngine;
  model: EngineModel;
  /** Undefined: it stays what the run began with. */
  resetSteps: number | undefined;
  record: ReferenceRecord | undefined;
  wallClock: () => number;
  log: Logger;
}): Promise<ResettingReference> {
  const { engine, model, resetSteps, record, log } = options;
  const open = (from?: string): Promise<Reference> =>
    openReference({ engine, trained: model.model.modelId, from, log }).catch((cause: unknown) => {
      if (from === undefined) throw cause;
      const message = `The reference of the KL divergence, ${from}, cannot be opened. Start another run from the last checkpoint (lachesis train --from).`;
      throw new TrainerError({ kind: 'engine', message, cause });
    });
  let pin = resetSteps === undefined ? undefined : await record?.read();
  let reference = await open(pin?.statePath);
  return {
    logprobs: (sequences) => reference.logprobs(sequences),
    close: () => reference.close(),
    async prepare(step) {
      if (resetSteps === undefined) return;
      const made = Math.floor((step - 1) / resetSteps) * resetSteps;
      if (made <= (pin?.step ?? 0)) return;
      // Behind the steps before it in the line of the engine. A name of its own: one that died here has used the plain one.
      const { path } = await model.saveState(`reference-${made}-${options.wallClock()}`);
      // If we die before this line, the next process takes the policy that it finds at this step.
      await record?.write({ step: made, statePath: path });
      // First the old one, because an engine has few places.
      await reference.close();
      reference = await open(path);
      if (pin !== undefined) await engine.discard(pin.statePath);
      pin = { step: made, statePath: path };
      log.info({ step: made }, 'the reference of the KL divergence is the policy of this step');
    },
  };
}
