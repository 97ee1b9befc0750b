import type { RunEstimate } from '@lachesis/protocol';
import type { JsonValue } from '@lachesis/store';

/** What the row of a run holds beside its state. */
export interface RunDetails {
  directory: string;
  configPath: string;
  environmentConfigPath: string;
  totalSteps: number;
  wandbProject: string | null;
  wandbRunName: string | null;
  /** Where its processes work. */
  workingDirectory: string;
  engineUrl: string | null;
  estimate: RunEstimate | null;
  /** What its one process is started with, for a run that has only one: words of the command line. */
  command: readonly string[] | null;
  /** Further words for the command of its environment. */
  environmentArguments: readonly string[];
  /** The process that made the row and is about to look after it: while it lives nobody else takes a run that waits. */
  starter: string | null;
  /** The short id of the run whose settings it began with. */
  forkOf: string | null;
}

/** It was written by us; a version before or behind ours may have left something out. */
export function readRunDetails(value: JsonValue): RunDetails {
  const none: RunDetails = {
    directory: '',
    configPath: '',
    environmentConfigPath: '',
    totalSteps: 0,
    wandbProject: null,
    wandbRunName: null,
    workingDirectory: '',
    engineUrl: null,
    estimate: null,
    command: null,
    environmentArguments: [],
    starter: null,
    forkOf: null,
  };
  return typeof value === 'object' && value !== null ? { ...none, ...(value as Partial<RunDetails>) } : none;
}
