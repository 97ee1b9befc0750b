import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { createControlClient } from '@lachesis/sdk';
import { createLocalModels, fetchAdapter } from '@lachesis/server/services';
import { fail } from '../../terminal/fail.ts';
import { findEngineUrl } from '../find-engine.ts';
import { describeLibraryError } from './describe-error.ts';
import { openLocalRedactor } from './drain-home.ts';
import { locateLibrary, type LibraryArguments } from './locate-library.ts';
import { openLocalStore } from './open-local-store.ts';
import { libraryFlags } from './library.ts';

/** Where the models are; commands that work on either side take these. */
export const modelsFlags = {
  ...libraryFlags,
  tenant: { type: 'string', description: 'whose models, in a local store (default: local)' },
} as const;

/** Models, lineage and jobs, behind a server or in the local store. */
export type ModelLibrary = ReturnType<typeof createLocalModels>;

/** Opens what the flags say, does the work, and lets go. What goes wrong ends the command with one sentence. */
export async function withModels(args: LibraryArguments, work: (models: ModelLibrary) => Promise<void>): Promise<void> {
  await orFail(async () => {
    const location = await locateLibrary(args);
    if (location.kind === 'server') {
      await work(createRemoteModels(location));
      return;
    }
    await using local = await openLocalStore(location.settings);
    const { store, blobs, audit } = local;
    const scope = { store, blobs, tenantId: args.tenant ?? LOCAL_TENANT };
    const findEngine = async (named: string | undefined) => {
      const { home } = location.settings;
      const baseUrl = await findEngineUrl({ tinker: { base_url: named } }, { home });
      return { baseUrl, apiKey: process.env['TINKER_API_KEY'] };
    };
    await work(createLocalModels(scope, { audit, findEngine, openRedactor: openLocalRedactor }));
  });
}

/** What goes wrong ends the command with one sentence. */
export async function orFail(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    fail(describeLibraryError(error));
  }
}

/** The calls of a server; its files come with the token and are held against their digests. */
function createRemoteModels({ url, token }: { url: string; token: string | undefined }): ModelLibrary {
  const client = createControlClient({ url, token });
  return {
    ...client,
    async *compareModels(comparison, engine) {
      refuseEngineFlags(engine);
      yield* client.compareModels(comparison, { signal: engine.signal });
    },
    async *sampleReplies(ask, engine) {
      refuseEngineFlags(engine);
      yield* client.sampleReplies(ask, { signal: engine.signal });
    },
    async bringAdapter(ref, { destination, overwrite, ...engine }) {
      refuseEngineFlags(engine);
      return await fetchAdapter({ client, token, ref, destination, overwrite, signal: engine.signal });
    },
  };
}

/** What would make a server speak to an address, or read a folder, that a caller named. */
function refuseEngineFlags(engine: Parameters<ModelLibrary['compareModels']>[1]): void {
  const given = (['engine-url', 'tokenizer', 'allow-file-urls'] as const).filter((name) => engine[name] !== undefined);
  const [first] = given;
  if (first === undefined) return;
  throw new Error(
    `--${first} is for the engine of this machine; the server asks its own, as its operator set it. Leave it out, or ` +
      'name the library of this machine with --home.',
  );
}
