/*
 * The front door of @lachesis/sdk: clients of the stations. They run in browsers too. Every export is a promise; what is
 * not named here may change at any time.
 */

// What goes wrong, and time.
export { ClientError } from './clients/client-error.ts';
export type { ClientErrorCode } from './clients/client-error.ts';
export type { Clock } from '@lachesis/protocol';

// The trajectory API.
export { createTrajectoryClient } from './clients/trajectory.ts';
export type {
  CallOptions,
  EnvironmentFacts,
  FetchableBatch,
  HeldBatch,
  LeaseOptions,
  RegisterEnvironmentOptions,
  TrajectoryClient,
  TrajectoryClientOptions,
} from './clients/trajectory.ts';
export type { RegisteredEnvironment } from './clients/trajectory-replies.ts';

// The inference station.
export { createInferenceClient } from './clients/inference.ts';
export type {
  CompletionOptions,
  InferenceClient,
  InferenceClientOptions,
  InferenceHealth,
} from './clients/inference.ts';

// The library: trajectories, feedback, data sets.
export { createLibraryClient } from './clients/library.ts';
export type {
  LibraryCallOptions,
  LibraryClient,
  LibraryClientOptions,
  LibraryHealth,
  ListTrajectoriesOptions,
} from './clients/library.ts';
