export interface ExitWithParentOptions {
  /** Ends in order. */
  end: () => void;
  /** From there to the hard end. */
  graceMs?: number;
}

/** A station gives what it serves 15 seconds to end. */
const GRACE_MS = 20_000;

/**
 * Who was started over a channel, as by `lachesis train`, ends when the other end of it is gone, however it went: nobody
 * else would end it. The control plane starts its processes without a channel, and they outlive it.
 */
export function exitWithParent({ end, graceMs = GRACE_MS }: ExitWithParentOptions): void {
  // Undefined when there never was a channel; false when it closed while this program was being loaded.
  const isConnected = process.connected as boolean | undefined;
  if (isConnected === undefined) return;
  // Who read what we say is gone too, and that must not cut the orderly end short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const leave = (): void => {
    setTimeout(endGroup, graceMs).unref();
    end();
  };
  if (!isConnected) return leave();
  process.once('disconnect', leave);
  // Waiting for it is no reason to live on.
  process.channel?.unref();
}

/** Itself and what it has started; alone where it does not lead a group. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // There is no such group.
    process.exit(1);
  }
}
