import { realClock, type Clock, type RunRole } from '@lachesis/protocol';
import { ClientError, type ControlClient } from '@lachesis/sdk';

export interface FollowLogsOptions {
  client: Pick<ControlClient, 'followLog'>;
  runId: string;
  roles: readonly RunRole[];
  /** Goes on until the run has ended; else ends with what is there. */
  follow: boolean;
  /** Lines from before, of each. */
  tail: number | undefined;
  signal: AbortSignal;
  clock?: Clock;
  onLine: (role: RunRole, line: string) => void;
  /** Told once each time the server goes away. */
  onAway?: () => void;
}

const TRY_AGAIN_MS = 1_000;

/** Tells the lines of one or more processes. A stream that breaks off goes on behind the last line that was told. */
export async function followLogs(options: FollowLogsOptions): Promise<void> {
  // What is there already is told one process after another: lines of different files have no order among them.
  if (!options.follow) for (const role of options.roles) await followOne(options, role);
  else await Promise.all(options.roles.map((role) => followOne(options, role)));
}

async function followOne(options: FollowLogsOptions, role: RunRole): Promise<void> {
  const { client, runId, follow, tail, signal, clock = realClock, onLine, onAway } = options;
  let offset: string | undefined;
  let isAway = false;
  while (!signal.aborted) {
    try {
      for await (const chunk of client.followLog(runId, role, { signal, follow, tail, offset })) {
        isAway = false;
        offset = chunk.offset ?? offset;
        for (const line of chunk.lines) onLine(role, line);
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const mayComeBack = ClientError.isInstance(error) && error.retryable && follow;
      if (!mayComeBack) throw error;
      if (!isAway) onAway?.();
      isAway = true;
      await clock.sleep(TRY_AGAIN_MS, signal);
    }
  }
}
