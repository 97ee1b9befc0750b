import {
  parseTinkerPath,
  planDeleteCheckpoint,
  planWeightsInfo,
  TinkerError,
  TinkerNotFoundError,
  type TinkerService,
  type TrainingClient,
} from '@lachesis/tinker';
import { TrainerError } from '../trainer-error.ts';
import type { TrainingEngine } from './engine.ts';
import { findContradiction, findIgnoredSetting, type LoraSettings } from './lora-settings.ts';

export interface TinkerEngineOptions {
  service: TinkerService;
  /** `engine` takes the first model the server offers. */
  baseModel: string;
  lora: LoraSettings;
  seed: number;
  /** A saved state whose weights a new model begins with. */
  initialState?: string | undefined;
  /** Whether the optimiser goes on from that state too; it begins anew otherwise. */
  withOptimizer?: boolean | undefined;
}

/** A Tinker server as the trainer's engine. */
export function createTinkerEngine({
  service,
  baseModel,
  lora,
  seed,
  initialState,
  withOptimizer = false,
}: TinkerEngineOptions): TrainingEngine<TrainingClient> {
  const { profile } = service;

  async function create(): Promise<TrainingClient> {
    refuseSettings(findIgnoredSetting(profile, lora));
    if (initialState === undefined) {
      const { rank } = lora;
      const layers = {
        trainMlp: lora.trainMlp ?? undefined,
        trainAttention: lora.trainAttention ?? undefined,
        trainUnembed: lora.trainUnembed ?? undefined,
      };
      return await service.createTraining({ baseModel: chooseModel(service, baseModel), rank, seed, ...layers });
    }
    const info = await service.request(planWeightsInfo(initialState), { timeoutMs: 30_000 });
    refuseSettings(findContradiction({ path: initialState, info }, lora));
    return await service.createTrainingFromState(initialState, { optimizer: withOptimizer });
  }

  return {
    traits: {
      wantsWeights: profile.normalisation !== 'sum',
      savesStateWithWeights: profile.samplingIsolation === 'overwrites-training',
      // SkyRL knows a repeated gradient by its number and keeps none with a save, so the save that begins a recovery would
      // not find out about gradients that are in no journal.
      repeatsSafely: profile.sequence === 'ordered',
      losses: profile.losses,
      clipNote: profile.droppedKnobs['optim_step']?.['grad_clip_norm'],
    },
    hasInitialState: initialState !== undefined,
    create: () => create().catch(refuseForGood),
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

function refuseSettings(problem: string | undefined): void {
  if (problem !== undefined) throw new TrainerError({ kind: 'settings', message: problem });
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
