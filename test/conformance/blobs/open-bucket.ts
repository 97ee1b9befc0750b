import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobPlace } from '../../../packages/store/src/blobs/blob-contract.fixture.ts';
import { openS3Blobs, type S3BlobsOptions } from '../../../packages/store/src/blobs/s3/s3-blobs.ts';
import { readS3Place } from '../../../packages/store/src/blobs/s3/s3-place.ts';
import { startVersitygw, whyNoVersitygw, type Versitygw } from '../../peers/versitygw/start-versitygw.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/** The smallest part that S3 joins. */
export const PART_BYTES = 5 * 1024 * 1024;

/** A server for this scenario, or undefined once the line said why not. */
export async function openServer(
  context: ScenarioContext,
  lines: readonly { name: string; bar: string }[],
): Promise<Versitygw | undefined> {
  const why = whyNoVersitygw();
  if (why !== undefined) {
    for (const line of lines) context.reportNotRun({ ...line, why });
    return undefined;
  }
  const server = await startVersitygw(await context.scratch());
  context.defer(async () => server[Symbol.asyncDispose]());
  return server;
}

let buckets = 0;

/** A bucket that nobody else uses. */
export async function openBucket(
  server: Versitygw,
  options: Omit<S3BlobsOptions, 'place'> = {},
): Promise<BlobPlace & { place: string; folder: string }> {
  const bucket = `bucket-${(buckets += 1)}`;
  const folder = join(await server.makeBucket(bucket), 'library');
  const place = `s3://${bucket}/library`;
  return {
    ...{ place, folder },
    blobs: openS3Blobs({ partBytes: PART_BYTES, ...options, place: readS3Place(place, server.env) }),
    damage: (digest) => flipBit(join(folder, digest)),
  };
}

export async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  await writeFile(path, bytes);
}
