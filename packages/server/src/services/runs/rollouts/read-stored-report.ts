import { isRecord, type rolloutSchemas } from '@lachesis/protocol';
import { decodeStepLogprobs } from '@lachesis/protocol/codec';
import type { FoundStep } from '@lachesis/store';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import type { RolloutDeps } from './rollout-deps.ts';

type StoredReport = z.infer<(typeof rolloutSchemas)['report']>;

/** Ours are some hundred kilobytes; a blob that inflates to more is not one. */
const MOST_REPORT_BYTES = 256 * 1024 ** 2;

const inflate = promisify(gunzip);

/** What the trainer reported of a step; undefined where it did not, and where it is no longer kept. */
export async function readStoredReport({ blobs }: RolloutDeps, step: FoundStep): Promise<StoredReport | undefined> {
  const digest = step.rollouts?.reportDigest ?? undefined;
  if (digest === undefined) return undefined;
  const text = await inflate(await blobs.get(digest), { maxOutputLength: MOST_REPORT_BYTES });
  const report: unknown = JSON.parse(text.toString('utf8'));
  // Our trainer wrote it, and its digest was checked: looking at every number again would take longer than all the rest.
  if (!isRecord(report) || !Array.isArray(report['groups'])) return undefined;
  return report as StoredReport;
}

/** What the trainer gave the tokens of a group, by sequence, where that was kept. */
export async function readTrainerLogprobs(
  { blobs }: RolloutDeps,
  step: FoundStep,
  group: number,
): Promise<Map<number, Float32Array>> {
  const digest = step.rollouts?.logprobsDigest ?? undefined;
  if (digest === undefined) return new Map();
  const all = decodeStepLogprobs(await blobs.get(digest));
  return new Map(all.flatMap((entry) => (entry.group === group ? [[entry.sequence, entry.values] as const] : [])));
}
