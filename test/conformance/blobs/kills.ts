import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../../../packages/store/src/blobs/blob-contract.fixture.ts';
import { openS3Blobs } from '../../../packages/store/src/blobs/s3/s3-blobs.ts';
import { readS3Place } from '../../../packages/store/src/blobs/s3/s3-place.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { openBucket, openServer, PART_BYTES } from './open-bucket.ts';

const KILLS = 4;
const FULL_KILLS = 40;

/** The server is killed while bytes are on their way to it, and is back a moment later. */
export const killsScenario: Scenario = {
  name: 'kills',
  title:
    'An object store that is killed in the middle of puts loses nothing that was acknowledged, and holds nothing half.',
  async run(context) {
    const lines = [
      { name: 'killed in a put', bar: 'all acknowledged after it was back, all read back' },
      { name: 'what the bucket holds', bar: '0 objects that are not their digest' },
      { name: 'gone for good', bar: 'says so at its deadline, and that it may be tried again' },
    ];
    const server = await openServer(context, lines);
    if (server === undefined) return;
    const kills = context.full ? FULL_KILLS : KILLS;
    let bodies = 0;
    let killAt = Number.POSITIVE_INFINITY;
    let killing: Promise<void> = Promise.resolve();
    /** Kills the server once a body has begun to flow. */
    const killInTheMiddle: typeof fetch = async (input, init) => {
      const sent = fetch(input, init);
      if (init?.method === 'PUT' && (bodies += 1) === killAt) {
        await Promise.race([sent.catch(() => undefined), sleep(3)]);
        killing = server.kill().then(() => server.start());
      }
      return await sent;
    };
    const { blobs } = await openBucket(server, { fetch: killInTheMiddle });
    const digests: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      // Whole objects, and ones in three parts; eight puts under way.
      const payloads = Array.from({ length: 8 }, (_, index) =>
        randomBytes(index % 4 === 0 ? 2 * PART_BYTES + 1_000 : 1_500_000 + index),
      );
      killAt = bodies + 1 + ((kill * 3) % 8);
      await Promise.all(payloads.map((payload) => blobs.put(digestOf(payload), payload)));
      await killing;
      digests.push(...payloads.map((payload) => digestOf(payload)));
    }
    const unread: string[] = [];
    for (const digest of digests) await blobs.get(digest).catch(() => unread.push(digest));
    context.report({
      ...lines[0]!,
      figure: `${kills} kills, ${digests.length} puts acknowledged, ${unread.length} not read back`,
      ok: unread.length === 0,
    });
    let half = 0;
    let held = 0;
    for await (const { digest } of blobs.list()) {
      held += 1;
      await blobs.get(digest).catch(() => (half += 1));
    }
    context.report({ ...lines[1]!, figure: `${half} of ${held}`, ok: half === 0 && held === digests.length });
    await server.kill();
    const impatient = openS3Blobs({ place: readS3Place(blobs.place, server.env), deadlineMs: 2_000 });
    const payload = randomBytes(1_000);
    const error = await impatient.put(digestOf(payload), payload).then(
      () => undefined,
      (thrown: unknown) => thrown as { name?: string; retryable?: boolean },
    );
    const ok = error?.name === 'BlobsUnavailableError' && error.retryable === true;
    context.report({
      ...lines[2]!,
      figure: ok ? 'BlobsUnavailableError, to be tried again' : (error?.name ?? 'acknowledged'),
      ok,
    });
  },
};
