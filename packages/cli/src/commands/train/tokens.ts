import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { variableName } from '@lachesis/sdk/config';
import { countTokens, createToken, revokeToken } from '@lachesis/store';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';

type Variables = Readonly<Record<string, string>>;

/** What the processes of one training prove themselves with, as variables; nothing where no token is asked for. */
export interface TrainTokens extends AsyncDisposable {
  readonly isAsked: boolean;
  readonly trainer: Variables;
  readonly environment: Variables;
  /** For who looks at the trainer. */
  readonly view: string | undefined;
}

/** Longer than a training takes; they are revoked when it ends. */
const LIFETIME_MS = 30 * 86_400_000;

/** Mints a token for each process, good for this run alone and for no more than it does. */
export async function openTrainTokens(options: {
  home: string;
  run: string;
  /** How many servers the environment asks. */
  servers: number;
}): Promise<TrainTokens> {
  const { home, run, servers } = options;
  const place = readStorePlace({ home });
  await using local = await openLocalStore(place);
  const { store } = local;
  if ((await countTokens({ store })) === 0) {
    return { isAsked: false, trainer: {}, environment: {}, view: undefined, [Symbol.asyncDispose]: async () => {} };
  }
  const expiresAt = (await store.now()) + LIFETIME_MS;
  const mint = async (name: string, scopes: string[]) => {
    const made = await createToken({
      ...{ store, tenantId: LOCAL_TENANT, kind: 'process', name: `${name} of ${run}`, run, scopes, expiresAt },
    });
    const things = { token: made.tokenId, scopes: scopes.join(','), run };
    await local.audit({ action: 'token create', tenantId: LOCAL_TENANT, things });
    return made;
  };
  const trainer = await mint('trainer', ['trainer:pull']);
  const environment = await mint('environment', ['env:push', 'inference:call']);
  const view = await mint('lachesis train', ['view']);
  const keys = Array.from({ length: servers }, (_, index) => variableName(`openai.${index}.api_key`));
  return {
    isAsked: true,
    trainer: { LACHESIS_TOKEN: trainer.token },
    environment: Object.fromEntries(['LACHESIS_TOKEN', ...keys].map((name) => [name, environment.token])),
    view: view.token,
    async [Symbol.asyncDispose]() {
      await using again = await openLocalStore(place);
      for (const { tokenId } of [trainer, environment, view]) {
        await revokeToken({ store: again.store, tenantId: LOCAL_TENANT, tokenId });
        await again.audit({ action: 'token revoke', tenantId: LOCAL_TENANT, things: { token: tokenId } });
      }
    },
  };
}
