import type { InferenceSettings } from '../../http/settings/inference-settings.ts';

/** What a drain thread is started with. */
export type DrainWorkerData = Pick<
  InferenceSettings,
  'home' | 'databaseUrl' | 'redactNames' | 'redactVariables' | 'redactPattern'
>;

export interface DrainFolder {
  tenantId: string;
  /** One recorder's segments, redacted by our rules already; everybody's when left out. */
  recorder: string | undefined;
}

export interface DrainRequest {
  id: number;
  folders: DrainFolder[];
}

export interface DrainAnswer {
  id: number;
  kept: number;
  /** Records the store will never take; they are in `refused.jsonl` of the outbox. */
  refused: number;
  /** Lines that are no record. */
  unreadable: number;
  /** Segments whose last line breaks off. */
  torn: number;
  /** Tenant, the caller's key, and the trajectory it stands for. */
  trajectories: [tenantId: string, key: string, trajectoryId: string][];
  /** Why the rest has to wait; null when nothing does. */
  error: string | null;
}
