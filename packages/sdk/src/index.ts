/*
 * The entry point of @lachesis/sdk: clients of the stations. They run in browsers too. Every export is a promise; what is
 * not named here may change at any time.
 */

// What goes wrong, and time.
export { ClientError } from './clients/client-error.ts';

// Streams of any of the stations.
export { createEventParser } from './clients/event-parser.ts';

// The trajectory API.
export { createTrajectoryClient } from './clients/trajectory.ts';
export type { TrajectoryClient } from './clients/trajectory.ts';

// The inference station.
export { createInferenceClient } from './clients/inference.ts';

// The library: trajectories, feedback, data sets.
export { createLibraryClient } from './clients/library.ts';
export type { LibraryClient } from './clients/library.ts';

// The control server: environments, configuration, runs; and the ten tools an agent drives it with.
export { createControlClient } from './clients/control.ts';
export type { ControlClient } from './clients/control.ts';
export { createRlTools } from './clients/rl-tools/create-rl-tools.ts';
export type { RlTool, RlToolProgress, RlTools } from './clients/rl-tools/rl-tool.ts';
export {
  answerOpenAiToolCall,
  callRlTool,
  describeRlToolInput,
  describeRlToolOutput,
  toAiSdkTools,
  toOpenAiTools,
} from './clients/rl-tools/tool-formats.ts';
// By the names that agents' programs know.
export {
  checkRlApiKeys as check_rl_api_keys,
  getMissingKeys as get_missing_keys,
} from './clients/rl-tools/api-keys.ts';
export { rlHealthCheck as rl_health_check } from './clients/rl-tools/health-check.ts';
