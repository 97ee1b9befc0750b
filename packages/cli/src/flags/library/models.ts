import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { LachesisError, modelChangeSchema } from '@lachesis/protocol';
import { createControlClient, type ControlClient } from '@lachesis/sdk';
import {
  listModelImprovements,
  listRegisteredModels,
  promoteRegisteredModel,
  readLineage,
  rollBackModel,
  showModel,
  type ModelScope,
} from '@lachesis/server/services';
import { fail } from '../../terminal/fail.ts';
import { locateLibrary, type LibraryArguments } from './locate-library.ts';
import { nameOf } from './require-model.ts';
import { openLocalStore, type LocalStore } from './open-local-store.ts';
import { libraryFlags } from './library.ts';

/** Where the models are; commands that work on either side take these. */
export const modelsFlags = {
  ...libraryFlags,
  tenant: { type: 'string', description: 'whose models, in a local store (default: local)' },
} as const;

/** Models and lineage, behind a server or in the local store. */
export type ModelLibrary = Pick<
  ControlClient,
  'listImprovements' | 'listModels' | 'promoteModel' | 'readLineage' | 'readModel' | 'rollBackModel'
>;

/** Opens what the flags say, does the work, and lets go. What goes wrong ends the command with one sentence. */
export async function withModels(args: LibraryArguments, work: (models: ModelLibrary) => Promise<void>): Promise<void> {
  try {
    const location = await locateLibrary(args);
    if (location.kind === 'server') {
      await work(createControlClient({ url: location.url, token: location.token }));
      return;
    }
    await using local = await openLocalStore(location.settings);
    await work(createLocalModels({ store: local.store, tenantId: args.tenant ?? LOCAL_TENANT }, local.audit));
  } catch (error) {
    const { message, hint } = LachesisError.isInstance(error)
      ? error
      : { message: error instanceof Error ? error.message : String(error), hint: undefined };
    fail(hint === undefined ? message : `${message}. ${hint}`);
  }
}

/** The same calls on the store itself; a change is written into the audit log as a server does. */
function createLocalModels(scope: ModelScope, audit: LocalStore['audit']): ModelLibrary {
  const note = async <T extends { name: string; version: number }>(action: string, promotion: T): Promise<T> => {
    await audit({ action, tenantId: scope.tenantId, things: { model: nameOf(promotion) } });
    return promotion;
  };
  return {
    listImprovements: async (query = {}) => ({ improvements: await listModelImprovements({ ...scope, ...query }) }),
    listModels: async (query = {}) => ({ models: await listRegisteredModels({ ...scope, ...query }) }),
    readModel: (ref) => showModel({ ...scope, ref }),
    promoteModel: async (ref, given) => {
      const change = modelChangeSchema.parse(given);
      return await note('models promote', await promoteRegisteredModel({ ...scope, ref, change }));
    },
    rollBackModel: async (name, given) => {
      const change = modelChangeSchema.parse(given);
      return await note('models rollback', await rollBackModel({ ...scope, name, change }));
    },
    readLineage: (what, query = {}) => readLineage({ ...scope, what, ...query }),
  };
}
