import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { checkGroup, decodeGroup, PackedGroupError } from '@lachesis/protocol/codec';
import type { GroupPayload } from '@lachesis/protocol/codec';
import type { IngestLimits } from './ingest-limits.ts';
import { isDiskFull } from './job-blobs.ts';
import type { DiskFull, JobBlobs, JobPhases } from './job-blobs.ts';

type GroupHeader = GroupPayload['header'];

/** A packed group of the native API: its header, its measures, and the policies that sampled it. */
export interface PooledPackedGroup {
  header: GroupHeader;
  sequenceCount: number;
  tokenCount: number;
  longestSequence: number;
  digest: string;
  payloadBytes: number;
  policyVersionMin: number | null;
  policyVersionMax: number | null;
}

export type PackedIssue = ReturnType<typeof checkGroup>[number];

export type PooledPacked =
  | { kind: 'stored'; group: PooledPackedGroup; crc32: number; phases: JobPhases }
  | { kind: 'refused'; issues: PackedIssue[] }
  | DiskFull;

/** Checks a packed group strictly and writes it as it came. */
export async function runStorePackedJob(
  { body, limits }: { body: Uint8Array; limits: IngestLimits },
  blobs: JobBlobs,
): Promise<PooledPacked> {
  const started = performance.now();
  const payload = decodePacked(body);
  if ('issues' in payload) return payload;
  const issues = checkGroup(payload, {
    maxSequences: limits.sequences,
    maxTokensPerSequence: limits.tokensPerSequence,
  });
  if (issues.length > 0) return { kind: 'refused', issues };
  const parsed = performance.now();
  const digest = hash('sha256', body);
  const hashed = performance.now();
  try {
    await blobs.put(digest, body);
  } catch (error) {
    if (isDiskFull(error)) return { kind: 'disk-full' };
    throw error;
  }
  const phases: JobPhases = {
    parse: (parsed - started) / 1000,
    hash: (hashed - parsed) / 1000,
    write: (performance.now() - hashed) / 1000,
  };
  return { kind: 'stored', group: describePacked(payload, digest, body.length), crc32: crc32(body), phases };
}

function decodePacked(body: Uint8Array): GroupPayload | { kind: 'refused'; issues: PackedIssue[] } {
  try {
    return decodeGroup(body);
  } catch (error) {
    if (!PackedGroupError.isInstance(error)) throw error;
    return { kind: 'refused', issues: [{ sequence: null, field: error.section, message: error.reason }] };
  }
}

function describePacked(payload: GroupPayload, digest: string, payloadBytes: number): PooledPackedGroup {
  const { rowLengths } = payload.tokens;
  const versions = (payload.policyRanges ?? new Uint32Array(0)).filter((_, index) => index % 4 === 3);
  return {
    header: payload.header,
    sequenceCount: rowLengths.length,
    tokenCount: rowLengths.reduce((sum, length) => sum + length, 0),
    longestSequence: rowLengths.reduce((longest, length) => Math.max(longest, length), 0),
    digest,
    payloadBytes,
    policyVersionMin: versions.length === 0 ? null : versions.reduce((a, b) => Math.min(a, b)),
    policyVersionMax: versions.length === 0 ? null : versions.reduce((a, b) => Math.max(a, b)),
  };
}
