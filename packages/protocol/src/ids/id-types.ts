declare const brand: unique symbol;

/** Text that names one kind of thing and cannot be handed over as another. */
type Id<Name extends string> = string & { readonly [brand]: Name };

export type RunId = Id<'run'>;
/** One life of a run: a reset archives it and opens the next. */
export type IncarnationId = Id<'incarnation'>;
export type EnvironmentId = Id<'environment'>;
/** One attempt of an agent at one task. */
export type RolloutId = Id<'rollout'>;
/** Rollouts of the same task, scored against each other. */
export type GroupId = Id<'group'>;
export type SequenceId = Id<'sequence'>;
export type BatchId = Id<'batch'>;
/** One hand-out of a batch or try at a task. */
export type AttemptId = Id<'attempt'>;
/** One optimiser step. */
export type StepId = Id<'step'>;
export type PolicyVersionId = Id<'policy-version'>;
export type TrajectoryId = Id<'trajectory'>;
/** One exchange inside a trajectory. */
export type TurnId = Id<'turn'>;
