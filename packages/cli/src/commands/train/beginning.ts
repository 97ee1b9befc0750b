import type { Recipe } from '@lachesis/protocol';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { needState } from '@lachesis/server/services';
import { fail } from '../../terminal/fail.ts';
import { describeLibraryError } from '../../flags/library/describe-error.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';

/** The recipe as flags change what it begins with and what its result is called, so that the record of the run says it. */
export function withBeginning(
  recipe: Recipe,
  flags: { from?: string | undefined; 'with-optimizer'?: boolean | undefined; 'model-name'?: string | undefined },
): Recipe {
  const { from, 'with-optimizer': withOptimizer, 'model-name': name } = flags;
  const { tinker } = recipe;
  if (from !== undefined && tinker.initial_state && tinker.initial_state !== from) {
    fail(`--from is ${from}, and initial_state of the recipe is ${tinker.initial_state}. Give one of them.`);
  }
  const state = from ?? tinker.initial_state;
  if (withOptimizer === true && !state)
    fail('--with-optimizer goes with --from run:step: there is none to go on with.');
  return {
    ...recipe,
    tinker: {
      ...tinker,
      initial_state: state,
      initial_state_with_optimizer: withOptimizer ?? tinker.initial_state_with_optimizer,
      model_name: name ?? tinker.model_name,
    },
  };
}

/** Looks the beginning up before anything is started: the trainer would only say it in its log. */
export async function checkBeginning({ home, recipe }: { home: string; recipe: Recipe }): Promise<void> {
  const { initial_state: ref } = recipe.tinker;
  if (!ref) return;
  await using local = await openLocalStore(readStorePlace({ home }));
  await needState({ store: local.store, tenantId: LOCAL_TENANT, ref }).catch((error: unknown) =>
    fail(`nothing to begin with: ${describeLibraryError(error)}`),
  );
}
