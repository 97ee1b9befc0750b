import type { ServerProfile } from './server-profile.ts';

/** The managed service, as its own SDK uses it. Not run by us. */
export const MANAGED_PROFILE: ServerProfile = Object.freeze({
  name: 'managed',
  trainingBody: 'protobuf',
  normalisation: 'sum',
  sequence: 'ordered',
  createsModelOnce: true,
  hasUnload: false,
  hasFinishSession: true,
  hasCancel: true,
  tellsSize: true,
  samplingIsolation: 'isolated',
  gradientsSurviveUnload: false,
  stopsAtEos: true,
  stopForm: 'any',
  emptyStopMeansNever: true,
  maxTokens: 'optional',
  promptLogprobs: 'full',
  hasBackpressure: true,
  maxSamplesInFlight: 2000,
  checksTokenIds: true,
  checksBaseModel: true,
  allowsNegativeWeights: true,
  losses: undefined,
  droppedKnobs: Object.freeze({}),
  refusedFields: Object.freeze({}),
});

const LORA_FLAG_IGNORED = 'the server ignores it and trains attention and MLP layers';

/** SkyRL 0.4.0 with its JAX backend. */
export const SKYRL_PROFILE: ServerProfile = Object.freeze({
  name: 'skyrl',
  trainingBody: 'protobuf',
  normalisation: 'token-mean-then-sequence-mean',
  sequence: 'idempotent',
  createsModelOnce: false,
  hasUnload: true,
  hasFinishSession: false,
  hasCancel: false,
  tellsSize: false,
  samplingIsolation: 'overwrites-training',
  gradientsSurviveUnload: true,
  stopsAtEos: false,
  stopForm: 'list',
  emptyStopMeansNever: false,
  maxTokens: 'required',
  promptLogprobs: 'shifted',
  hasBackpressure: false,
  // Beyond some hundred requests its SQLite locks and heartbeats starve.
  maxSamplesInFlight: 128,
  checksTokenIds: false,
  checksBaseModel: false,
  allowsNegativeWeights: false,
  losses: Object.freeze(['cross_entropy', 'importance_sampling', 'ppo', 'cispo']),
  droppedKnobs: Object.freeze({
    optim_step: Object.freeze({ grad_clip_norm: 'the server does not clip gradients' }),
    create_model: Object.freeze({
      train_unembed: LORA_FLAG_IGNORED,
      train_mlp: LORA_FLAG_IGNORED,
      train_attn: LORA_FLAG_IGNORED,
      alpha: 'the server uses 32',
      user_metadata: 'the server does not keep it',
    }),
    save_weights: Object.freeze({
      ttl_seconds: 'the server keeps checkpoints until they are deleted',
      overwrite: 'the server refuses a name that exists',
      user_metadata: 'the server does not keep it',
    }),
    save_weights_for_sampler: Object.freeze({
      ttl_seconds: 'the server keeps checkpoints until they are deleted',
      user_metadata: 'the server does not keep it',
    }),
  }),
  refusedFields: Object.freeze({}),
});

/** TuFT 0.2.2. It checks requests with the strict models of SDK 0.25. */
export const TUFT_PROFILE: ServerProfile = Object.freeze({
  name: 'tuft',
  trainingBody: 'protobuf',
  normalisation: 'sum',
  sequence: 'strict',
  createsModelOnce: false,
  hasUnload: true,
  hasFinishSession: false,
  hasCancel: false,
  tellsSize: false,
  samplingIsolation: 'isolated',
  gradientsSurviveUnload: false,
  stopsAtEos: true,
  stopForm: 'any',
  emptyStopMeansNever: false,
  maxTokens: 'small-default',
  promptLogprobs: 'full',
  hasBackpressure: false,
  maxSamplesInFlight: 2000,
  checksTokenIds: true,
  checksBaseModel: true,
  allowsNegativeWeights: true,
  losses: Object.freeze(['cross_entropy', 'importance_sampling', 'ppo', 'cispo', 'dro', 'trinity_ppo']),
  droppedKnobs: Object.freeze({
    create_model: Object.freeze({ alpha: 'the server uses twice the rank' }),
    create_session: Object.freeze({ display_name: 'the server refuses it' }),
    save_weights: Object.freeze({ user_metadata: 'the server refuses it' }),
    save_weights_for_sampler: Object.freeze({ user_metadata: 'the server refuses it' }),
  }),
  refusedFields: Object.freeze({
    create_session: Object.freeze(['display_name']),
    create_model: Object.freeze(['optimizer_config']),
    save_weights: Object.freeze(['user_metadata']),
    save_weights_for_sampler: Object.freeze(['user_metadata']),
    asample: Object.freeze([
      'topk_sample_logprobs',
      'prompt_alt_tokens_k',
      'record_stability_info',
      'prompt_logprobs_last_n',
      'target_prompt_logprobs',
    ]),
  }),
});

/** A server we cannot name: it is asked for the least, and nothing is taken for granted. */
export const UNKNOWN_PROFILE: ServerProfile = Object.freeze({
  ...TUFT_PROFILE,
  name: 'unknown',
  // Refused numbers are told apart by what the server says, not by what it is expected to do.
  sequence: 'strict',
  checksTokenIds: false,
  checksBaseModel: false,
  allowsNegativeWeights: false,
  maxSamplesInFlight: 128,
  losses: undefined,
  droppedKnobs: Object.freeze({}),
  refusedFields: Object.freeze({}),
});
