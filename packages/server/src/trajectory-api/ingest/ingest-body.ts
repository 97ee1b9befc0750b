import { hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { encodeGroup } from '@lachesis/protocol/codec';
import { releaseBytes } from '../../http/memory/release-bytes.ts';
import { buildPayload, readFacts } from './build-payload.ts';
import type { GroupFacts } from './build-payload.ts';
import { chooseMatching } from './deflate/choose-matching.ts';
import { deflateWireBlock } from './deflate/deflate-wire-block.ts';
import { inflateBody } from './inflate-body.ts';
import { defaultIngestLimits, MAX_ISSUES } from './ingest-limits.ts';
import type { IngestLimits } from './ingest-limits.ts';
import { BodyRefusedError, createIssue, refuseTooLarge, refuseUnreadable, refuseWithIssues } from './issues.ts';
import type { BodyIssue, Refusal } from './issues.ts';
import { LEFT_BRACKET } from './scan/json-bytes.ts';
import { scanGroup } from './scan/scan-group.ts';
import type { ScannedGroup } from './scan/scan-group.ts';
import { createScanScratch } from './scan/scan-scratch.ts';
import type { ScanScratch } from './scan/scan-scratch.ts';
import { createScanState, failSyntax, SENTINEL_BYTES, skipSpace } from './scan/scan-state.ts';
import type { ScanState } from './scan/scan-state.ts';
import { scanList, skipValue } from './scan/scan-value.ts';
import { writeCanonical } from './write-canonical.ts';

export interface IngestBodyOptions {
  body: Uint8Array;
  encoding: 'identity' | 'gzip';
  /** One ScoredData object, or an array of them. */
  shape: 'one' | 'list';
  limits?: IngestLimits;
  /** Buffers of an earlier call, to be used again. */
  scratch?: ScanScratch;
}

/** A group ready to be written: its packed payload and what the queue has to know about it. */
export interface IngestedGroup extends GroupFacts {
  payload: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the payload, hex. */
  digest: string;
}

/** Milliseconds spent per step, summed over the body's groups. */
export interface IngestTimings {
  inflateMs: number;
  scanMs: number;
  packMs: number;
  deflateMs: number;
  hashMs: number;
}

export interface IngestedBody {
  kind: 'groups';
  /**
   * SHA-256 over the digests of the groups, hex: equal for a retry however it is compressed or spaced. A payload holds the
   * whole text that a trainer gets, so the body need not be hashed once more; half a megabyte of it costs a tenth of a push
   * where the processor has no instructions for SHA.
   */
  bodyDigest: string;
  inflatedBytes: number;
  groups: IngestedGroup[];
  timings: IngestTimings;
}

export type IngestOutcome = IngestedBody | Refusal;

/** Reads a /scored_data or /scored_data_list body into packed groups. All of its groups are valid, or none is returned. */
export function ingestBody(options: IngestBodyOptions): IngestOutcome {
  try {
    return ingest(options);
  } catch (error) {
    if (BodyRefusedError.isInstance(error)) return error.refusal;
    throw error;
  }
}

function ingest(options: IngestBodyOptions): IngestedBody {
  const { body, encoding, limits = defaultIngestLimits, scratch = createScanScratch() } = options;
  const timings: IngestTimings = { inflateMs: 0, scanMs: 0, packMs: 0, deflateMs: 0, hashMs: 0 };
  if (body.length > limits.wireBytes) throw refuseTooLarge(`A body may hold ${limits.wireBytes} bytes`);
  if (body.length === 0) throw refuseWithIssues([createIssue('missing', ['body'])]);

  const clock = createStopwatch();
  const text = encoding === 'gzip' ? inflateBody(body, limits) : body;
  timings.inflateMs = clock();
  if (text.length > limits.inflatedBytes) throw refuseTooLarge(`A body may hold ${limits.inflatedBytes} bytes`);
  if (text.length === 0) throw refuseWithIssues([createIssue('missing', ['body'])]);
  if (!isUtf8(text)) throw refuseUnreadable();

  const inflatedBytes = text.length;
  const scan = createScanState(addSentinel(skipByteOrderMark(text), scratch), scratch.output);
  if (text !== body) releaseBytes(text);
  const groups: IngestedGroup[] = [];
  const issues: BodyIssue[] = [];
  const ingestGroup = (depth: number): void => {
    const started = createStopwatch();
    const fields = scanGroup({ scan, scratch, limits, depth });
    timings.scanMs += started();
    if ('issues' in fields) {
      issues.push(...fields.issues);
      if (issues.length >= MAX_ISSUES) throw refuseWithIssues(issues.slice(0, MAX_ISSUES));
    } else if (issues.length === 0) {
      groups.push(packGroup({ scan, scratch, fields, timings }));
    }
    scan.written = 0;
  };
  scanBody(scan, options.shape, ingestGroup);
  scratch.output = scan.output;
  if (issues.length > 0) throw refuseWithIssues(issues);
  const bodyDigest = hash('sha256', groups.map(({ digest }) => digest).join());
  return { kind: 'groups', bodyDigest, inflatedBytes, groups, timings };
}

interface PackOptions {
  scan: ScanState;
  scratch: ScanScratch;
  fields: ScannedGroup;
  timings: IngestTimings;
}

function packGroup({ scan, scratch, fields, timings }: PackOptions): IngestedGroup {
  const clock = createStopwatch();
  const canonical = writeCanonical(scan, scratch, fields);
  const looksForMatches = chooseMatching(scratch, fields, canonical.length);
  timings.packMs += clock();
  const wire = deflateWireBlock(canonical, { looksForMatches, scratch });
  timings.deflateMs += clock();
  const payload = encodeGroup(buildPayload({ scan, scratch, fields, wire }));
  timings.packMs += clock();
  const digest = hash('sha256', payload);
  timings.hashMs += clock();
  return { ...readFacts({ scratch, fields }), payload, digest };
}

function scanBody(scan: ScanState, shape: 'one' | 'list', ingestGroup: (depth: number) => void): void {
  scan.position = skipSpace(scan.input, 0);
  if (shape === 'one') {
    ingestGroup(0);
  } else if (scan.input[scan.position] === LEFT_BRACKET) {
    scanList(scan, 0, (_, depth, index) => {
      scan.path[1] = index;
      scan.path.length = 2;
      ingestGroup(depth);
    });
  } else {
    skipValue(scan, 0);
    finishBody(scan);
    throw refuseWithIssues([createIssue('list_type', ['body'])]);
  }
  finishBody(scan);
}

function finishBody(scan: ScanState): void {
  scan.position = skipSpace(scan.input, scan.position);
  if (scan.position !== scan.end) failSyntax(scan, scan.position, 'Extra data');
}

const skipByteOrderMark = (text: Uint8Array): Uint8Array =>
  text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text;

function addSentinel(text: Uint8Array, scratch: ScanScratch): Uint8Array {
  const length = text.length + SENTINEL_BYTES;
  if (scratch.input.length < length) scratch.input = new Uint8Array(Math.ceil(length * 1.25));
  scratch.input.set(text);
  scratch.input.fill(0, text.length, length);
  return scratch.input.subarray(0, length);
}

function createStopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const elapsed = now - last;
    last = now;
    return elapsed;
  };
}
