import { z } from 'zod';

import { planExternalWeightsUrls } from './request-plans.ts';
import type { TinkerPath } from './tinker-path.ts';
import { WeightsError } from './weights-error.ts';
import { openUrl, refusal, urlOf } from './weights-server.ts';
import type { WeightsServer } from './weights-server.ts';

/** A list of addresses, read into memory. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const answerSchema = z.object({ urls: z.record(z.string(), z.url({ protocol: /^https?$/ })) });

/** Asks for signed addresses of exported weights, by file name. */
export async function locateExternal({
  server,
  path,
  idleMs,
  signal,
}: {
  server: WeightsServer;
  path: TinkerPath;
  idleMs: number;
  signal?: AbortSignal | undefined;
}): Promise<ReadonlyMap<string, URL>> {
  const opened = await openUrl({ server, url: urlOf(server, planExternalWeightsUrls(path)), idleMs, signal });
  try {
    if (!opened.response.ok) throw refusal(opened, 'the question for external weights');
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of opened.bytes()) {
      bytes += piece.byteLength;
      if (bytes > MAX_ANSWER_BYTES) throw unreadable();
      pieces.push(piece);
    }
    const { urls } = answerSchema.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
    return new Map(Object.entries(urls).map(([file, url]) => [file, new URL(url)]));
  } catch (error) {
    // The cause is left out: it may quote a signed address.
    throw WeightsError.isInstance(error) ? error : unreadable();
  } finally {
    opened.close();
  }
}

const unreadable = (): WeightsError =>
  new WeightsError({ reason: 'protocol', message: 'The list of external weights cannot be read.' });
