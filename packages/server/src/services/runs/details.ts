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
  };
  return typeof value === 'object' && value !== null ? { ...none, ...(value as Partial<RunDetails>) } : none;
}
