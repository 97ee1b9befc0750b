import { homePaths } from '@lachesis/protocol/home';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { readPrivateFile } from '@lachesis/sdk/home';
import { countTokens, createToken, findToken, type Store } from '@lachesis/store';
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { fail } from '../../terminal/fail.ts';
import { openLocalStore, type LocalStore } from '../../flags/library/open-local-store.ts';

export interface HomeAccessOptions {
  home: string;
  databaseUrl: string | undefined;
  /** False for `--no-token`. */
  wantsToken: boolean;
  /** Whose calls go through the gateway that is started, and whose key stands in its address; undefined when none is. */
  gatewayTenant: string | undefined;
}

export interface HomeAccess {
  /** The file of the token that commands find by themselves; undefined when it is elsewhere, or none is asked for. */
  tokenFile: string | undefined;
  /** Good for `inference:call` alone; undefined when nobody is asked for a token. */
  gatewayKey: string | undefined;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** A token in a file of the home. */
interface KeptToken {
  file: string;
  tenantId: string;
  name: string;
  scopes: readonly string[];
}

/** What `--no-token` means, for who types it. */
const OPEN =
  'no token is asked for (--no-token): every program and every user of this machine can read what is recorded here, ' +
  'start and stop runs, and spend the keys of this server. Leave --no-token out and a token is made.\n';

/** The switch of every command that starts a server for people. */
export const tokenSwitch = {
  token: {
    type: 'boolean',
    default: true,
    description: 'ask callers for a token; the first start makes one',
    negativeDescription: 'serve everybody on this machine without a token',
  },
} as const;

/**
 * Sees to it that servers of a home ask for a token: the first start makes one and leaves it in the home, where commands find
 * it. If we die between the two, a token exists that nobody holds, and the next start says that there are tokens.
 */
export async function openHomeAccess(options: HomeAccessOptions): Promise<HomeAccess> {
  try {
    return await findOrMake(options);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

async function findOrMake(options: HomeAccessOptions): Promise<HomeAccess> {
  const { home, databaseUrl, wantsToken, gatewayTenant } = options;
  await mkdir(home, { recursive: true, mode: PRIVATE_FOLDER });
  await using local = await openLocalStore({ home, databaseUrl });
  const { store } = local;
  const count = await countTokens({ store });
  if (!wantsToken) {
    if (count > 0) {
      fail(
        `tokens were made in ${home}, and its servers ask for one whatever --no-token says. Leave it out, or take another --home.`,
      );
    }
    process.stderr.write(OPEN);
    return { tokenFile: undefined, gatewayKey: undefined };
  }
  const tokenFile = homePaths(home).token;
  const first = { file: tokenFile, tenantId: LOCAL_TENANT, name: 'first start', scopes: ['admin'] };
  if (count === 0) await makeToken(local, first);
  const isThere = count === 0 || (await readGood(store, first)) !== undefined;
  return {
    tokenFile: isThere ? tokenFile : undefined,
    gatewayKey: gatewayTenant === undefined ? undefined : await openGatewayKey(local, home, gatewayTenant),
  };
}

/** The same address after every start, until its key is revoked. */
async function openGatewayKey(local: LocalStore, home: string, tenantId: string): Promise<string> {
  const file = homePaths(home).gatewayKey;
  const key = { file, tenantId, name: 'address of the gateway', scopes: ['inference:call'] };
  return (await readGood(local.store, key)) ?? (await makeToken(local, key));
}

/** What the file holds, if it is good. */
async function readGood(store: Store, { file, tenantId }: KeptToken): Promise<string | undefined> {
  const kept = readPrivateFile(file)?.text;
  if (kept === undefined) return undefined;
  return (await findToken({ store, token: kept }))?.tenantId === tenantId ? kept : undefined;
}

async function makeToken({ store, audit }: LocalStore, { file, ...facts }: KeptToken): Promise<string> {
  const { token, tokenId } = await createToken({ store, ...facts });
  const things = { token: tokenId, scopes: facts.scopes.join(',') };
  await audit({ action: 'token create', tenantId: facts.tenantId, things });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await using handle = await open(draft, 'wx', PRIVATE_FILE);
    await handle.writeFile(`${token}\n`);
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await rename(draft, file);
  return token;
}
