/** The states of a run, from the request for it to its end. The last three are final. */
export const RUN_STATES = Object.freeze([
  'pending',
  'starting',
  'running',
  'stopping',
  'stopped',
  'completed',
  'failed',
] as const);

export type RunState = (typeof RUN_STATES)[number];

/** The states that a run leaves only when somebody resumes it. */
export const FINAL_RUN_STATES = Object.freeze(['stopped', 'completed', 'failed'] as const);

export type FinalRunState = (typeof FINAL_RUN_STATES)[number];

/** Whether a run in this state has ended. */
export const isFinalRunState = (state: string): state is FinalRunState =>
  FINAL_RUN_STATES.some((final) => final === state);

/** From where to where a run may go. What runs is always ended through `stopping`, so that nothing outlives a final state. */
const NEXT: Readonly<Record<RunState, readonly RunState[]>> = Object.freeze({
  pending: ['starting', 'stopping'],
  starting: ['running', 'stopping'],
  running: ['stopping'],
  stopping: ['stopped', 'completed', 'failed'],
  stopped: [],
  completed: [],
  failed: [],
});

/** Whether a run may go from one state to another. */
export const mayFollow = (from: RunState, to: RunState): boolean => NEXT[from].includes(to);

/** What a run does: rollouts and a reward, rows of a data set, what people rated, or the first tour. */
export const RUN_KINDS = Object.freeze(['rl', 'sft', 'dpo', 'kto', 'reward', 'rlhf', 'improve', 'demo'] as const);

export type RunKind = (typeof RUN_KINDS)[number];

/** The processes of a run, in the order they start. They end in reverse. */
export const RUN_ROLES = Object.freeze(['api', 'trainer', 'env'] as const);

export type RunRole = (typeof RUN_ROLES)[number];

/**
 * `waiting`: its turn has not come, or it waits before its next start. `ended`: it had nothing more to do.
 * `stopped`: it was ended by us. `dead`: it ended by itself and is to be started again.
 */
export const RUN_PROCESS_STATES = Object.freeze([
  'waiting',
  'starting',
  'running',
  'stopping',
  'stopped',
  'ended',
  'dead',
] as const);

export type RunProcessState = (typeof RUN_PROCESS_STATES)[number];
