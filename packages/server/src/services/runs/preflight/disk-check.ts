import { PreflightFailure } from './failure.ts';
import type { PreflightCheck } from './run-preflight.ts';

const GIB = 1024 ** 3;
/** Groups, logs and checkpoints of a small run fit; with less the trajectory API soon refuses groups. */
const LEAST_FREE_BYTES = GIB;

/** Room for what the run writes. */
export function createDiskCheck(options: {
  home: string;
  freeBytes: (path: string) => Promise<number>;
  leastBytes?: number;
}): PreflightCheck {
  const { home, freeBytes, leastBytes = LEAST_FREE_BYTES } = options;
  return {
    name: 'disk',
    limitMs: 10_000,
    fix: `Look at the disk of ${home}.`,
    async run() {
      const free = await freeBytes(home);
      const told = `${(free / GIB).toFixed(1)} GiB are free in ${home}`;
      if (free >= leastBytes) return { state: 'passed', message: `${told}.` };
      throw new PreflightFailure({
        message: `Only ${told}; a run needs ${(leastBytes / GIB).toFixed(1)} GiB.`,
        fix: 'Make room there, or start the control server with another LACHESIS_HOME.',
      });
    },
  };
}
