import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import type { TrainingEngine } from './engine/engine.ts';

export interface CheckpointRetentionOptions {
  checkpoints: CheckpointList;
  ledger: StepLedger;
  engine: Pick<TrainingEngine, 'discard'>;
  /** How many checkpoints stay, besides the best one. */
  keep: number;
  /** What earlier processes published last, the oldest first. */
  earlier: readonly { step: number; path: string }[];
  log: Logger;
}

/** Policies that may still be asked for: requests under way finish on the weights they began with. */
const KEPT_POLICIES = 4;

/** Deletes what is no longer needed. A deletion that fails costs room and nothing else. */
export interface CheckpointRetention {
  /** Notes weights that were published; those of four publications ago go, unless a checkpoint is made of them. */
  published(policy: { step: number; path: string | null }): Promise<void>;
  /** Deletes checkpoints beyond those that are kept. */
  prune(): Promise<void>;
}

export function createCheckpointRetention(options: CheckpointRetentionOptions): CheckpointRetention {
  const { checkpoints, ledger, engine, keep, log } = options;
  const policies: { step: number; path: string }[] = [...options.earlier];

  async function discard(path: string): Promise<void> {
    await engine
      .discard(path)
      .catch((error: unknown) => log.warn({ err: error, path }, 'old weights were not deleted'));
  }

  return {
    async published({ step, path }) {
      if (path === null) return;
      policies.push({ step, path });
      while (policies.length > KEPT_POLICIES) {
        const old = policies.shift()!;
        // A run that ended over its KL budget publishes older weights once more.
        if (policies.some((policy) => policy.path === old.path)) continue;
        const isKept = (await checkpoints.list()).some(({ weightsPath }) => weightsPath === old.path);
        if (isKept) continue;
        // First the ledger: if we die in between, the weights are there and nobody goes back to them.
        await ledger.forgetState(old.step);
        await discard(old.path);
      }
    },
    async prune() {
      const best = await checkpoints.best();
      const candidates = (await checkpoints.list()).filter(({ isFinal, step }) => !isFinal && step !== best?.step);
      for (const { step, statePath, weightsPath } of candidates.slice(keep)) {
        // What a name serves, or has served, stays for whoever goes back to it.
        if (!(await checkpoints.forget(step))) continue;
        await discard(statePath);
        const isServed = policies.some(({ path }) => path === weightsPath);
        if (weightsPath !== null && !isServed) await discard(weightsPath);
      }
    },
  };
}
