import { crc32 } from 'node:zlib';
import { releaseBytes } from '../../http/memory/release-bytes.ts';
import type { GroupFacts } from './build-payload.ts';
import { ingestBody } from './ingest-body.ts';
import type { IngestBodyOptions, IngestTimings } from './ingest-body.ts';
import type { Refusal } from './issues.ts';
import { isDiskFull } from './job-blobs.ts';
import type { DiskFull, JobBlobs, JobPhases } from './job-blobs.ts';

/** What is left of a group once its payload is on disk. */
export interface StoredGroup extends GroupFacts {
  digest: string;
  payloadBytes: number;
}

export interface PooledGroups {
  kind: 'groups';
  bodyDigest: string;
  inflatedBytes: number;
  groups: StoredGroup[];
  /** Of each payload as it was written. */
  crc32s: number[];
  phases: JobPhases;
}

export type PooledIngest = PooledGroups | DiskFull | Refusal;

/** Reads a body and writes the payload of every group. Dying in between leaves blobs nobody refers to, which are collected. */
export async function runIngestJob(options: IngestBodyOptions, blobs: JobBlobs): Promise<PooledIngest> {
  const outcome = ingestBody(options);
  if (outcome.kind === 'refused') return outcome;
  const started = performance.now();
  try {
    await Promise.all(outcome.groups.map(({ digest, payload }) => blobs.put(digest, payload)));
  } catch (error) {
    if (isDiskFull(error)) return { kind: 'disk-full' };
    throw error;
  }
  const { bodyDigest, inflatedBytes, timings } = outcome;
  const groups = outcome.groups.map(({ payload, ...facts }) => ({ ...facts, payloadBytes: payload.length }));
  const crc32s = outcome.groups.map(({ payload }) => crc32(payload));
  for (const { payload } of outcome.groups) releaseBytes(payload);
  const phases = toPhases(timings, performance.now() - started);
  return { kind: 'groups', bodyDigest, inflatedBytes, groups, crc32s, phases };
}

function toPhases(timings: IngestTimings, writeMs: number): JobPhases {
  return {
    gunzip: timings.inflateMs / 1000,
    parse: timings.scanMs / 1000,
    pack: timings.packMs / 1000,
    deflate: timings.deflateMs / 1000,
    hash: timings.hashMs / 1000,
    write: writeMs / 1000,
  };
}
