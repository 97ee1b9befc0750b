import { openHome, openStore, StrangeBlobsError } from '@lachesis/store';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  BLOB_PROMISES,
  digestOf,
  type BlobPlace,
  type BlobPromise,
} from '../../../packages/store/src/blobs/blob-contract.fixture.ts';
import { openFileBlobs } from '../../../packages/store/src/blobs/file-blobs.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { backupScenario } from './backup.ts';
import { killsScenario } from './kills.ts';
import { flipBit, openBucket, openServer } from './open-bucket.ts';

/** How many promises hold, and a line of progress for each that does not. */
async function countKept(context: ScenarioContext, open: () => Promise<BlobPlace>): Promise<number> {
  const judge = async ({ name, check }: BlobPromise): Promise<boolean> => {
    try {
      await check(await open());
      return true;
    } catch (error) {
      context.log(`${name}: ${String(error)}`);
      return false;
    }
  };
  let kept = 0;
  for (const promise of BLOB_PROMISES) kept += (await judge(promise)) ? 1 : 0;
  return kept;
}

async function openFolder(context: ScenarioContext): Promise<BlobPlace> {
  const directory = await context.scratch();
  return {
    blobs: openFileBlobs({ directory }),
    damage: (digest) => flipBit(join(directory, digest.slice(0, 2), digest)),
  };
}

/** Changes a bit of every body on its way to the server, as a broken line does: what was signed and counted is another thing. */
const flipOnTheWay: typeof fetch = async (input, init) => {
  if (!(init?.body instanceof Uint8Array) || init.method !== 'PUT') return await fetch(input, init);
  const body = Uint8Array.from(init.body);
  body[0]! ^= 1;
  return await fetch(input, { ...init, body });
};

const BYTES = randomBytes(200_000);

export const scenarios: Scenario[] = [
  {
    name: 'contract',
    title: 'Files and a real object store keep the same promises.',
    async run(context) {
      const bar = `${BLOB_PROMISES.length} of ${BLOB_PROMISES.length}`;
      const inFiles = await countKept(context, () => openFolder(context));
      const figure = (kept: number): string => `${kept} of ${BLOB_PROMISES.length} promises kept`;
      context.report({ name: 'files', figure: figure(inFiles), bar, ok: inFiles === BLOB_PROMISES.length });
      const server = await openServer(context, [{ name: 's3', bar }]);
      if (server === undefined) return;
      const inBuckets = await countKept(context, () => openBucket(server));
      context.report({ name: 's3', figure: figure(inBuckets), bar, ok: inBuckets === BLOB_PROMISES.length });
    },
  },
  killsScenario,
  backupScenario,
  {
    name: 'damage',
    title: 'A bit that changes on the way or at rest is found; a client that does not look is caught.',
    async run(context) {
      const lines = [
        { name: 'on the way', bar: 'refused, nothing kept' },
        { name: 'at rest', bar: 'found' },
        { name: 'mutants', bar: '2 of 2 caught' },
      ];
      const server = await openServer(context, lines);
      if (server === undefined) return;
      const digest = digestOf(BYTES);
      /** What happens to a put whose body changes on the way. */
      const send = async (
        given: Parameters<typeof openBucket>[1],
      ): Promise<{ isRefused: boolean; isKept: boolean }> => {
        const { blobs } = await openBucket(server, { ...given, fetch: flipOnTheWay });
        const isRefused = await blobs.put(digest, BYTES).then(
          () => false,
          () => true,
        );
        return { isRefused, isKept: await blobs.has(digest) };
      };
      /** Whether a bit that changes on the server's disk is found by whoever reads. */
      const isFound = async (given: Parameters<typeof openBucket>[1]): Promise<boolean> => {
        const { blobs, damage } = await openBucket(server, given);
        await blobs.put(digest, BYTES);
        await damage(digest);
        return await blobs.get(digest).then(
          () => false,
          () => true,
        );
      };
      const sent = await send({});
      const said = sent.isRefused ? (sent.isKept ? 'refused and kept' : 'refused, nothing kept') : 'acknowledged';
      context.report({ ...lines[0]!, figure: said, ok: sent.isRefused && !sent.isKept });
      const found = await isFound({});
      context.report({ ...lines[1]!, figure: found ? 'found' : 'handed out', ok: found });
      const caught = [
        // The put sends no checksum: the server has nothing to hold the bytes against.
        !(await send({ checksumHeaders: () => ({}) })).isRefused,
        // The reader believes what it gets.
        !(await isFound({ checkBytes: () => undefined })),
      ].filter(Boolean).length;
      context.report({ ...lines[2]!, figure: `${caught} of 2 caught`, ok: caught === 2 });
    },
  },
  {
    name: 'library',
    title: 'A bucket belongs to one database, for servers and for the collector.',
    async run(context) {
      const lines = [
        { name: 'another database', bar: 'refused, nothing changed' },
        { name: 'its own database', bar: 'opens again from another home' },
        { name: 'mutant', bar: 'a database that does not look is caught' },
      ];
      const server = await openServer(context, lines);
      if (server === undefined) return;
      const { place, blobs } = await openBucket(server);
      const env = { ...server.env, LACHESIS_BLOBS: place };
      const folder = await context.scratch();
      const list = async (): Promise<string[]> => (await Array.fromAsync(blobs.list())).map(({ digest }) => digest);
      const isRefused = async (opened: Promise<unknown>): Promise<boolean> =>
        await opened.then(
          () => false,
          (error: unknown) => StrangeBlobsError.isInstance(error) && error.mismatch === 'another-library',
        );
      await using owner = await openHome({ home: join(folder, 'a'), env });
      const served = await owner.serveBlobs();
      await served.blobs.put(digestOf(BYTES), BYTES);
      await using stranger = await openHome({ home: join(folder, 'b'), env });
      const ok =
        (await isRefused(stranger.serveBlobs())) &&
        (await isRefused(stranger.blobs.get(digestOf(BYTES)))) &&
        (await list()).join() === digestOf(BYTES);
      context.report({ ...lines[0]!, figure: ok ? 'refused, nothing changed' : 'let in', ok });
      // Homes are folders of one machine; the database and the bucket are what belongs together.
      const sqlitePath = owner.paths.database;
      const again = await openHome({
        ...{ home: join(folder, 'c'), env },
        openStore: (options) => openStore({ ...options, sqlitePath }),
      });
      const { libraryId } = await again.serveBlobs();
      await again.close();
      const isSame = libraryId === served.libraryId;
      context.report({ ...lines[1]!, figure: isSame ? 'opened, same library' : 'another library', ok: isSame });
      await using blind = await openHome({
        ...{ home: join(folder, 'd'), env },
        claimLibrary: async () => ({ libraryId: 'mine', adoptedAtMs: null }),
      });
      const isCaught = !(await isRefused(blind.serveBlobs()));
      context.report({ ...lines[2]!, figure: isCaught ? 'caught: it was let in' : 'not caught', ok: isCaught });
    },
  },
];
