import type { Scope } from '@lachesis/protocol';
import { createToken, openStore, type Store } from '@lachesis/store';
import { join } from 'node:path';

/** Tokens of one tenant, each for one thing. */
export interface Tenant {
  readonly name: string;
  /** The application: asks the model. */
  readonly app: string;
  /** A person who rates what was recorded. */
  readonly rater: string;
  /** Who trains. */
  readonly trainer: string;
  /** Publishes weights elsewhere; here it only ever tries to. */
  readonly publisher: string;
}

const GRANTS = {
  app: ['inference:call'],
  rater: ['feedback:write', 'view'],
  trainer: ['run:admin'],
  publisher: ['trainer:pull', 'env:push', 'inference:call'],
} as const satisfies Record<string, readonly Scope[]>;

export const openHome = (home: string): Promise<Store> => openStore({ sqlitePath: join(home, 'lachesis.db') });

/** As `lachesis token create` makes them; from the first one on every server asks for one. */
export async function createTenant(store: Store, name: string): Promise<Tenant> {
  const make = async (use: keyof typeof GRANTS): Promise<string> =>
    (await createToken({ store, tenantId: name, name: use, scopes: GRANTS[use] })).token;
  return {
    name,
    ...{ app: await make('app'), rater: await make('rater') },
    ...{ trainer: await make('trainer'), publisher: await make('publisher') },
  };
}

/** Every token of a tenant with a name, for those who look for leaks. */
export const nameTokens = ({ name, app, rater, trainer, publisher }: Tenant): [string, string][] =>
  Object.entries({ app, rater, trainer, publisher }).map(([use, token]) => [`token of ${name}'s ${use}`, token]);
