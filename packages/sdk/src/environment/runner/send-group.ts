import type { GroupReceipt } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { ClientError } from '../../clients/client-error.ts';
import type { TrajectoryClient } from '../../clients/trajectory.ts';

/** No later try will be answered otherwise: the run is not there, or is not ours. */
const FATAL_STATUSES = new Set([401, 403, 404, 410]);

export type SentGroup =
  | { readonly kind: 'sent'; readonly receipt: GroupReceipt }
  /** These bytes will be refused again; other groups may not be. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The server did not take it and it may be good: the time was over, or its key seems to be taken. */
  | { readonly kind: 'unplaced'; readonly reason: string };

/** Somebody pushed under this key. Ours are new for each group: that is a fault of the server, not of the rollouts. */
const CONFLICT = 409;

/** Sends a group, for as long as the server is away or busy. Throws for what no other group could mend. */
export async function sendGroup({
  client,
  group,
  groupId,
  signal,
  onWaiting,
}: {
  client: Pick<TrajectoryClient, 'pushGroup'>;
  group: EncodableGroup;
  groupId: string;
  signal: AbortSignal;
  onWaiting: (reason: string) => void;
}): Promise<SentGroup> {
  for (;;) {
    try {
      return { kind: 'sent', receipt: await client.pushGroup(group, { idempotencyKey: groupId, signal }) };
    } catch (error) {
      if (signal.aborted) return { kind: 'unplaced', reason: 'the run ended before the trajectory API took it' };
      if (!ClientError.isInstance(error) || FATAL_STATUSES.has(error.status ?? 0)) throw error;
      if (error.status === CONFLICT) return { kind: 'unplaced', reason: error.message };
      if (!error.retryable) return { kind: 'refused', reason: error.message };
      onWaiting(`the trajectory API does not take groups: ${error.reason}`);
    }
  }
}
