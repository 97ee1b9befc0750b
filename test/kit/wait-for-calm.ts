import { waitForQuiet } from './machine-noise.ts';

/** More CPU than this used by others, and a figure says more about them than about what is measured. */
export const MAX_FOREIGN_CORES = 0.35;

/** The short form has to end in minutes on any machine: past this time since the start it waits for no quiet. */
const SHORT_PATIENCE_MS = 60_000;

/** Gives the machine a moment to calm down before a run: up to a minute in the full form, seconds in the short one. */
export async function waitForCalm(full: boolean): Promise<void> {
  const shortTimeoutMs = performance.now() < SHORT_PATIENCE_MS ? 4_000 : 0;
  await waitForQuiet({
    ownRoots: [process.pid],
    maxForeignCores: MAX_FOREIGN_CORES,
    timeoutMs: full ? 60_000 : shortTimeoutMs,
  });
}
