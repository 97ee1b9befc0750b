import { isScope, SCOPE_DESCRIPTIONS, SCOPES } from '@lachesis/protocol';
import { createToken, listTokens, revokeToken, type Store } from '@lachesis/store';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { openLocalStore, readStorePlace } from './open-local-store.ts';

const TENANT = 'local';
const where = {
  home: { type: 'string', description: 'folder of the SQLite database [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: TENANT, description: 'whose tokens' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

const createFlags = {
  ...where,
  name: { type: 'string', required: true, description: 'what it is for' },
  scope: { type: 'string', required: true, description: `scopes, separated by commas: ${SCOPES.join(', ')}` },
  expires: { type: 'string', description: 'how long it is good: 12h, 30d, never (default 90d)' },
} as const;

const create = defineCommand({
  meta: { name: 'create', description: 'Make a token. It is shown once; only its hash is kept.' },
  args: createFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(createFlags, rawArgs);
    const scopes = args.scope.split(',').map((scope) => scope.trim());
    for (const scope of scopes) {
      if (!isScope(scope)) fail(`there is no scope ${JSON.stringify(scope)}. The scopes are:\n${listScopes()}`);
    }
    const lifetimeMs = readLifetime(args.expires ?? '90d');
    await withStore(args, async (store) => {
      const expiresAt = lifetimeMs === null ? null : (await store.now()) + lifetimeMs;
      const { tokenId, token } = await createToken({
        store,
        tenantId: args.tenant,
        name: args.name,
        scopes,
        expiresAt,
      });
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify({ token_id: tokenId, token, scopes, expires_at: expiresAt })}\n`
          : `${token}\n\nIt is not shown again. Send it as \`Authorization: Bearer …\`, or put it into a base URL as http://user:<token>@host:8000.\nFrom now on this server asks everybody for a token.\n`,
      );
    });
  },
});

const list = defineCommand({
  meta: { name: 'list', description: 'Show tokens, without their secrets.' },
  args: where,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(where, rawArgs);
    await withStore(args, async (store) => {
      const tokens = await listTokens({ store, tenantId: args.tenant });
      if (args.json === true) {
        process.stdout.write(`${JSON.stringify(tokens)}\n`);
        return;
      }
      if (tokens.length === 0)
        process.stdout.write('no tokens: a loopback server is open to everybody on this machine\n');
      for (const token of tokens) {
        const state = token.revokedAt !== null ? 'revoked' : describeExpiry(token.expiresAt);
        process.stdout.write(`${token.tokenId}  ${token.name}  ${token.scopes.join(',')}  ${state}\n`);
      }
    });
  },
});

const revoke = defineCommand({
  meta: { name: 'revoke', description: 'End a token; servers refuse it within a second.' },
  args: { ...where, id: { type: 'positional', required: true, description: 'the token id that `token list` shows' } },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(where, rawArgs);
    await withStore(args, async (store) => {
      const isRevoked = await revokeToken({ store, tenantId: args.tenant, tokenId: args.id });
      if (!isRevoked) fail(`there is no token ${args.id} to revoke. \`lachesis token list\` shows them.`);
      process.stdout.write(args.json === true ? `${JSON.stringify({ revoked: args.id })}\n` : `revoked ${args.id}\n`);
    });
  },
});

export const tokenCommand = defineCommand({
  meta: { name: 'token', description: 'Make, list and revoke access tokens.' },
  subCommands: { create, list, revoke },
});

async function withStore(args: Record<string, unknown>, work: (store: Store) => Promise<void>): Promise<void> {
  await using local = await openLocalStore(readStorePlace(args));
  await work(local.store);
}

function readLifetime(text: string): number | null {
  if (text === 'never') return null;
  const match = /^(\d{1,6})([hd])$/.exec(text);
  if (match === null) fail(`${JSON.stringify(text)} is not a lifetime. Say for example 12h, 30d or never.`);
  return Number(match[1]) * (match[2] === 'h' ? 3_600_000 : 86_400_000);
}

function describeExpiry(expiresAt: number | null): string {
  return expiresAt === null ? 'does not expire' : `until ${new Date(expiresAt).toISOString()}`;
}

function listScopes(): string {
  return SCOPES.map((scope) => `  ${scope}: ${SCOPE_DESCRIPTIONS[scope]}`).join('\n');
}
