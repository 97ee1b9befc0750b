import type { WaitOptions } from '../transport/deadline.ts';

/** Facts about a model that its server does not tell. What is given beats what is read from a local model folder. */
export interface ModelFacts {
  /** Token ids at or above it are refused before they are sent. */
  vocabularySize?: number | undefined;
  /** The longest sequence. */
  maxLength?: number | undefined;
}

export interface CreateTrainingOptions extends ModelFacts, WaitOptions {
  baseModel: string;
  /** The rank of the LoRA matrices; default 32. */
  rank?: number | undefined;
  seed?: number | undefined;
  trainUnembed?: boolean | undefined;
  trainMlp?: boolean | undefined;
  trainAttention?: boolean | undefined;
  userMetadata?: Readonly<Record<string, string>> | undefined;
}

export interface FromStateOptions extends ModelFacts, WaitOptions {
  /** Also restore the optimiser's moments; default true. */
  optimizer?: boolean | undefined;
  weightsAccessToken?: string | undefined;
}

const DEFAULT_RANK = 32;

/** The body of create_model, with the layer flags only where they differ from the default. */
export function toCreateModelBody(
  { baseModel, rank = DEFAULT_RANK, seed, trainUnembed, trainMlp, trainAttention, userMetadata }: CreateTrainingOptions,
  { sessionId, modelSeqId }: { sessionId: string; modelSeqId: number },
): Record<string, unknown> {
  return {
    session_id: sessionId,
    model_seq_id: modelSeqId,
    base_model: baseModel,
    lora_config: {
      rank,
      seed,
      train_unembed: trainUnembed === false ? false : undefined,
      train_mlp: trainMlp === false ? false : undefined,
      train_attn: trainAttention === false ? false : undefined,
    },
    user_metadata: userMetadata,
  };
}

export const rankOf = ({ rank = DEFAULT_RANK }: CreateTrainingOptions): number => rank;
