import { LachesisError, modelAdapterLineSchema } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { WeightsError } from '@lachesis/tinker';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bringAdapter, needWeights, type EnginePlace, type ModelAdapter } from './bring-adapter.ts';
import { needModel, type ModelScope } from './find-start.ts';

/** Adapters that were asked for, kept for those who come back for the rest of a file. */
export interface AdapterShelf {
  /** Lists the files of a model's adapter; brings them from the engine first when they are not here. */
  open(options: ModelScope & { ref: string }): Promise<ModelAdapter>;
  /** One of the files that `open` listed. */
  find(options: ModelScope & { ref: string; file: string }): Promise<{ path: string; bytes: number; sha256: string }>;
}

/** Whoever wants the rest of a file later than this waits for the engine once more. */
const KEPT_MS = 24 * 3_600_000;

export function createAdapterShelf(options: {
  home: string;
  findEngine: () => Promise<EnginePlace>;
  now: () => number;
}): AdapterShelf {
  const { home, findEngine, now } = options;
  const folder = homePaths(home).adapters;
  const opening = new Map<string, Promise<ModelAdapter>>();
  // Ids are made by the store: no name of a caller becomes part of a path.
  const placeOf = (id: string): string => join(folder, id);

  async function bring(model: Awaited<ReturnType<typeof needModel>>): Promise<ModelAdapter> {
    const id = model.modelVersionId;
    const known = await readListing(placeOf(id));
    if (known !== undefined) return known;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder, now() - KEPT_MS);
    const engine = await findEngine();
    const brought = await bringAdapter({ model, engine, destination: placeOf(id), overwrite: true }).catch(refuse);
    const names = (await readdir(placeOf(id))).toSorted();
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(placeOf(id), name);
        return { name, bytes: (await stat(path)).size, sha256: await digestFile(path) };
      }),
    );
    const listing = { model_version_id: id, rank: brought.rank, warnings: [...brought.warnings], files };
    // Written last and at once: a folder without its listing was not finished, and is brought again.
    await writeFile(`${placeOf(id)}.json.next`, JSON.stringify({ adapter: listing }));
    await rename(`${placeOf(id)}.json.next`, `${placeOf(id)}.json`);
    return listing;
  }

  return {
    async open(asked) {
      const model = await needModel(asked);
      needWeights(model);
      const id = model.modelVersionId;
      // Who asks while another does gets the same answer.
      const under = opening.get(id) ?? bring(model).finally(() => opening.delete(id));
      opening.set(id, under);
      return await under;
    },
    async find({ file, ...asked }) {
      const { modelVersionId: id } = await needModel(asked);
      const listed = (await readListing(placeOf(id)))?.files.find(({ name }) => name === file);
      if (listed !== undefined) return { ...listed, path: join(placeOf(id), listed.name) };
      throw new LachesisError({
        code: 'not-found',
        message: `there is no file ${JSON.stringify(file.slice(0, 200))} of this model here`,
        hint: 'List the files of its adapter first.',
      });
    },
  };
}

async function readListing(place: string): Promise<ModelAdapter | undefined> {
  const text = await readFile(`${place}.json`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const line = modelAdapterLineSchema.parse(JSON.parse(text));
  return 'adapter' in line ? line.adapter : undefined;
}

/** SHA-256 in hexadecimal, read in pieces. */
async function digestFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}

/** The listing goes first: what has none is nobody's. */
async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    const listing = join(folder, name);
    const { mtimeMs } = await stat(listing).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs >= before) continue;
    await rm(listing, { force: true });
    await rm(listing.slice(0, -'.json'.length), { recursive: true, force: true });
  }
}

/** Sentences about weights name the engine and what to do; a path of this machine is none of the caller's business. */
function refuse(error: unknown): never {
  if (!WeightsError.isInstance(error)) throw error;
  const isPath = error.reason === 'exists' || error.reason === 'busy';
  throw new LachesisError({
    code: isPath ? 'conflict' : 'unavailable',
    message: isPath ? 'another process of this server is bringing the same weights' : error.message.replace(/\.$/, ''),
    hint: isPath ? 'Try again in a moment.' : 'The server asked its engine for them; look at the log of the engine.',
    cause: error,
  });
}
