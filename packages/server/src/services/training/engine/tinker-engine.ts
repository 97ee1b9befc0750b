import {
  parseTinkerPath,
  planDeleteCheckpoint,
  TinkerError,
  TinkerNotFoundError,
  type TinkerService,
  type TrainingClient,
} from '@lachesis/tinker';
import { TrainerError } from '../trainer-error.ts';
import type { TrainingEngine } from './engine.ts';

export interface TinkerEngineOptions {
  service: TinkerService;
  /** `engine` takes the first model the server offers. */
  baseModel: string;
  rank: number;
  seed: number;
  /** A saved state whose weights a new model begins with; the optimiser begins anew. */
  initialState?: string | undefined;
}

/** A Tinker server as the trainer's engine. */
export function createTinkerEngine({
  service,
  baseModel,
  rank,
  seed,
  initialState,
}: TinkerEngineOptions): TrainingEngine<TrainingClient> {
  const { profile } = service;
  return {
    traits: {
      wantsWeights: profile.normalisation !== 'sum',
      savesStateWithWeights: profile.samplingIsolation === 'overwrites-training',
      // SkyRL knows a repeated gradient by its number and keeps none with a save, so the save that begins a recovery would
      // not find out about gradients that are in no journal.
      repeatsSafely: profile.sequence === 'ordered',
      clipNote: profile.droppedKnobs['optim_step']?.['grad_clip_norm'],
    },
    hasInitialState: initialState !== undefined,
    create: () =>
      (initialState === undefined
        ? service.createTraining({ baseModel: chooseModel(service, baseModel), rank, seed })
        : service.createTrainingFromState(initialState, { optimizer: false })
      ).catch(refuseForGood),
    restore: (statePath) => service.createTrainingFromState(statePath, { optimizer: true }),
    async attach(modelId) {
      const { models } = await service.reattach();
      if (!models.some((model) => model.modelId === modelId)) return undefined;
      return service.attachTraining({ modelId });
    },
    listOpen: async () => (await service.reattach()).models.map(({ modelId }) => modelId),
    async discard(path) {
      const { run, name } = parseTinkerPath(path);
      // Where weights for sampling are shadowed by a state, both carry the same name.
      const paths =
        profile.samplingIsolation === 'overwrites-training' ? [path, `tinker://${run}/weights/${name}`] : [path];
      for (const each of new Set(paths)) {
        await service.request(planDeleteCheckpoint(each), { timeoutMs: 30_000 }).catch((error: unknown) => {
          if (!TinkerNotFoundError.isInstance(error)) throw error;
        });
      }
    },
    close: ({ leavesModels }) => service.close({ leavesModels, timeoutMs: 30_000 }),
  };
}

/** What the engine refuses because of how it was asked, it refuses each time. */
function refuseForGood(error: unknown): never {
  if (!TinkerError.isInstance(error) || error.retryable || error.kind === 'stopped' || error.kind === 'abandoned')
    throw error;
  throw new TrainerError({
    kind: 'settings',
    message: `the engine refuses this training: ${error.message} Look at base_model, lora_rank and initial_state of the section tinker.`,
    cause: error,
  });
}

function chooseModel({ models }: TinkerService, baseModel: string): string {
  return baseModel === 'engine' ? (models[0]?.name ?? baseModel) : baseModel;
}
