import type { BlobStore } from '../blobs/blob-store.ts';
import type { StoredBlob } from '../trajectories/captures/turn-payload.ts';
import { readColdFile, writeColdFile, type ColumnKind } from './parquet-file.ts';

/** What a file has of a group that was settled: its row, its end, and whether its payload is still kept. */
export interface ColdGroup {
  group_id: string;
  incarnation_id: string;
  position: number;
  api: string;
  environment_id: string | null;
  env_id: number | null;
  rollout_id: string | null;
  sequence_count: number;
  token_count: number;
  payload_digest: string;
  payload_bytes: number;
  outcome: string;
  reason: string | null;
  split: string;
  consent: string;
  policy_version_min: number | null;
  policy_version_max: number | null;
  step_at_arrival: number;
  received_at: number;
  fate: string;
  fate_reason: string | null;
  batch_id: string | null;
  settled_at: number;
  has_payload: boolean;
}

const COLUMNS: Readonly<Record<keyof ColdGroup, ColumnKind>> = {
  group_id: 'text',
  incarnation_id: 'text',
  position: 'whole',
  api: 'text',
  environment_id: 'text',
  env_id: 'whole',
  rollout_id: 'text',
  sequence_count: 'whole',
  token_count: 'whole',
  payload_digest: 'text',
  payload_bytes: 'whole',
  outcome: 'text',
  reason: 'text',
  split: 'text',
  consent: 'text',
  policy_version_min: 'whole',
  policy_version_max: 'whole',
  step_at_arrival: 'whole',
  received_at: 'time',
  fate: 'text',
  fate_reason: 'text',
  batch_id: 'text',
  settled_at: 'time',
  has_payload: 'flag',
};

export const writeColdGroups = (groups: readonly ColdGroup[]): Promise<StoredBlob> =>
  writeColdFile<ColdGroup>(COLUMNS, groups);

export const readColdGroups = async (blobs: Pick<BlobStore, 'get'>, digest: string): Promise<ColdGroup[]> =>
  await readColdFile<ColdGroup>(COLUMNS, await blobs.get(digest));
