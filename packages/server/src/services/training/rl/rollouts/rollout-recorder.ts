import { encodeStepLogprobs } from '@lachesis/protocol/codec';
import type { TrainerSection } from '@lachesis/protocol';
import { dropStepRollouts, listStoredSteps, recordStepRollouts, type BlobStore, type Store } from '@lachesis/store';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Logger } from 'pino';
import { describeRollouts, type ReportedStep } from './describe-rollouts.ts';

export interface RolloutRecorder {
  /** Keeps what is known of the rollouts of a step. Resolves at once unless many wait to be written; never rejects. */
  record(step: ReportedStep): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

export interface RolloutRecorderOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  runId: string;
  incarnationId: string;
  settings: Pick<
    TrainerSection,
    'logprobs_drift_bound' | 'logprobs_interval' | 'rollout_retention_gb' | 'rollout_retention_steps'
  >;
  log: Logger;
}

/** Reports that may wait while a step is trained; a disk slower than that slows the training down instead of filling memory. */
const MOST_WAITING = 4;
const GIGABYTE = 1e9;
/** Reports are small and many: the last percent of compression is not worth the time. */
const COMPRESSION_LEVEL = 4;

const compress = promisify(gzip);

/**
 * Writes the rollouts of steps beside the training, never in its way. What cannot be written is told in the log and left
 * out: a step is in the weights whatever becomes of its report.
 */
export function createRolloutRecorder(options: RolloutRecorderOptions): RolloutRecorder {
  const { store, blobs, tenantId, runId, incarnationId, settings, log } = options;
  const scope = { store, tenantId, incarnationId };
  const waiting = new Set<Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  let stored: Map<number, number> | undefined;

  async function put(bytes: Uint8Array): Promise<{ digest: string; bytes: number }> {
    const digest = hash('sha256', bytes);
    await blobs.put(digest, bytes);
    return { digest, bytes: bytes.length };
  }

  async function write(reported: ReportedStep): Promise<void> {
    const described = describeRollouts(reported, {
      interval: settings.logprobs_interval,
      driftBound: settings.logprobs_drift_bound,
    });
    // If we die between blob and row, the collector of orphans removes the blob.
    const text = JSON.stringify({ base_model: reported.baseModel, groups: described.groups });
    const report = await put(await compress(text, { level: COMPRESSION_LEVEL }));
    const logprobs = described.logprobs.length === 0 ? undefined : await put(encodeStepLogprobs(described.logprobs));
    const { bytes } = await recordStepRollouts({
      ...scope,
      runId,
      rollouts: { ...described.facts, report, logprobs },
    });
    stored ??= new Map((await listStoredSteps(scope)).map((known) => [known.step, known.bytes]));
    stored.set(reported.step, bytes);
    await letGo(stored);
  }

  /** The oldest first, until both bounds hold. The newest step always stays. */
  async function letGo(known: Map<number, number>): Promise<void> {
    const { rollout_retention_steps: steps, rollout_retention_gb: gigabytes } = settings;
    let total = 0;
    for (const bytes of known.values()) total += bytes;
    for (const step of [...known.keys()].sort((a, b) => a - b)) {
      const isOver = (steps > 0 && known.size > steps) || (gigabytes > 0 && total > gigabytes * GIGABYTE);
      if (!isOver || known.size <= 1) return;
      await dropStepRollouts({ ...scope, blobs, step });
      total -= known.get(step) ?? 0;
      known.delete(step);
    }
  }

  return {
    async record(reported) {
      const before = last;
      const writing = (async () => {
        await before;
        try {
          await write(reported);
        } catch (error) {
          log.warn({ err: error, step: reported.step }, 'the rollouts of a step could not be reported');
        }
      })();
      last = writing;
      waiting.add(writing);
      void writing.finally(() => waiting.delete(writing));
      if (waiting.size > MOST_WAITING) await Promise.race(waiting);
    },
    close: () => last,
  };
}
