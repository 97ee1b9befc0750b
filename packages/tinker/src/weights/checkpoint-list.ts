import { z } from 'zod';

import { WeightsError } from './weights-error.ts';

/** What servers say of a checkpoint. Open servers leave out most of it. */
const checkpointSchema = z
  .object({
    checkpoint_id: z.string(),
    checkpoint_type: z.string(),
    time: z.string().nullish(),
    tinker_path: z.string(),
    size_bytes: z.number().nullish(),
    public: z.boolean().nullish(),
    expires_at: z.string().nullish(),
    user_metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .transform((wire) => ({
    id: wire.checkpoint_id,
    /** `training`, `sampler` or `external`. */
    type: wire.checkpoint_type,
    path: wire.tinker_path,
    time: wire.time ?? undefined,
    sizeBytes: wire.size_bytes ?? undefined,
    isPublic: wire.public ?? false,
    expiresAt: wire.expires_at ?? undefined,
    userMetadata: wire.user_metadata ?? undefined,
  }));

export type Checkpoint = z.output<typeof checkpointSchema>;

const listSchema = z.object({
  checkpoints: z.array(checkpointSchema),
  cursor: z.object({ total_count: z.number() }).nullish(),
});

/** Reads the answer to `planListCheckpoints`. */
export function readCheckpointList(answer: unknown): { checkpoints: Checkpoint[]; totalCount: number | undefined } {
  const parsed = listSchema.safeParse(answer);
  if (!parsed.success) {
    const message = 'The list of checkpoints cannot be read: it is not in the form servers send it in.';
    throw new WeightsError({ reason: 'protocol', message, cause: parsed.error });
  }
  return { checkpoints: parsed.data.checkpoints, totalCount: parsed.data.cursor?.total_count };
}
