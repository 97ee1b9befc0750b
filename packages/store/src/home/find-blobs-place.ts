import type { OpenBlobsOptions } from '../blobs/open-blobs.ts';
import type { homePaths } from '@lachesis/protocol/home';

/** Names the place of the payloads where it is not the folder in the home: `s3://bucket/prefix`, or another folder. */
const BLOBS_VARIABLE = 'LACHESIS_BLOBS';

/** Where the payloads of a home are. Every process that opens the home must be told the same; the marker finds out who was not. */
export function findBlobsPlace(
  paths: ReturnType<typeof homePaths>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): OpenBlobsOptions {
  const named = env[BLOBS_VARIABLE]?.trim() ?? '';
  return { place: named === '' ? paths.blobs : named, cache: paths.blobCache, env };
}
