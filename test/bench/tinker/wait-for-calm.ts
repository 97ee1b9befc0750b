import { waitForQuiet } from '../../kit/machine-noise.ts';

/** More CPU than this used by others, and a figure says more about them than about the client. */
export const MAX_FOREIGN_CORES = 0.35;

/** Gives the machine a moment to calm down before a run: up to a minute in the full form, seconds in the short one. */
export async function waitForCalm(full: boolean): Promise<void> {
  await waitForQuiet({
    ownRoots: [process.pid],
    maxForeignCores: MAX_FOREIGN_CORES,
    timeoutMs: full ? 60_000 : 2_000,
  });
}
