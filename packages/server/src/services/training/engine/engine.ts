import type {
  CustomLoss,
  CustomLossOutcome,
  Datum,
  OperationHandle,
  OptimizerParams,
  PassOptions,
  PassResult,
} from '@lachesis/tinker';

/** A model in an engine, as far as a trainer uses it. `TrainingClient` of @lachesis/tinker is one. */
export interface EngineModel {
  readonly model: { readonly modelId: string; readonly baseModel: string };
  forwardBackward(datums: readonly Datum[], options: PassOptions): OperationHandle<PassResult>;
  /** Log probabilities of the targets, without a gradient. */
  forward(datums: readonly Datum[], options?: Partial<PassOptions>): OperationHandle<PassResult>;
  /** The gradient of a loss that is computed here. */
  customLoss(
    datums: readonly Datum[],
    loss: CustomLoss,
    options?: { sequencesInStep?: number | undefined },
  ): OperationHandle<CustomLossOutcome<PassResult>>;
  optimStep(params: OptimizerParams): OperationHandle<{ metrics: Record<string, number> }>;
  saveForSampler(name: string): Promise<{ path: string }>;
  saveState(name: string): Promise<{ path: string }>;
  close(): Promise<void>;
}

/** What an engine does its own way, as far as a trainer must know. */
export interface EngineTraits {
  /** Losses are divided by the weights of a sequence: the weights must be sent. */
  readonly wantsWeights: boolean;
  /** Weights saved for sampling are also saved as a state that training can go on from. */
  readonly savesStateWithWeights: boolean;
  /** A request of any kind that is sent under a number that was used gets the answer of the one before. */
  readonly repeatsSafely: boolean;
  /** The losses it has; undefined where it has those that recipes name. */
  readonly losses?: readonly string[] | undefined;
  /** Why gradients are not clipped although that was asked for. */
  readonly clipNote: string | undefined;
}

/** Where models come from. */
export interface TrainingEngine<Model extends EngineModel = EngineModel> {
  readonly traits: EngineTraits;
  /** Whether `create` gives weights other than those of the base model. */
  readonly hasInitialState: boolean;
  /** A model to begin with. */
  create(): Promise<Model>;
  /** A model with weights and optimiser of a saved state. */
  restore(statePath: string): Promise<Model>;
  /** A model that an earlier process left in the engine, or undefined when the journal does not know it. */
  attach(modelId: string): Promise<Model | undefined>;
  /** Models that processes of this run left in the engine, as the journal has them. */
  listOpen(): Promise<string[]>;
  /** Deletes saved weights; what is gone already is fine. */
  discard(path: string): Promise<void>;
  /** Ends the session; models that are left go with it unless they are kept. */
  close(options: { leavesModels: boolean }): Promise<void>;
}
