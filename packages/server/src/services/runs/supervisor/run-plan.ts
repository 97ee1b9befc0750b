import type { RunRole, Scope } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';

/** What a process may do, and by which variables it is told the token that proves it. */
export interface ProcessIdentity {
  scopes: readonly Scope[];
  variables: readonly string[];
}

/** How one process is started. */
export interface ProcessPlan {
  file: string;
  arguments: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Absent for one that calls nobody. */
  identity?: ProcessIdentity | undefined;
  workingDirectory?: string | undefined;
  /** Answered with a status below 500 once it is up; absent for one that nobody calls. */
  readyUrl?: string | undefined;
  /** It has done its work when it ends with code 0, and is not started again. */
  mayEnd?: boolean | undefined;
}

/** How the processes of a run are started, worked out again from its row each time. */
export interface RunPlan {
  processes: Readonly<Partial<Record<RunRole, ProcessPlan>>>;
  /** Where the trainer tells how far it is; absent where the end of its process says it. */
  statusUrl?: string | undefined;
}

export type PlanRun = (run: TrainingRun, ports: Readonly<Record<RunRole, number | null>>) => RunPlan | Promise<RunPlan>;

/** The check before the first process starts. It ends early when the signal says so. */
export type Preflight = (
  run: TrainingRun,
  signal: AbortSignal,
) => Promise<{ passed: true } | { passed: false; reason: string }>;

/** What is read of the trainer's status. */
export interface TrainerReport {
  state: string;
  detail: string;
  step: number;
}
