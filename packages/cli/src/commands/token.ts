import { isScope, LachesisError, SCOPE_DESCRIPTIONS, SCOPES } from '@lachesis/protocol';
import { describeNames, isName, LOCAL_TENANT, type NamedThing } from '@lachesis/protocol/names';
import { createToken, listTokens, revokeToken, rotateToken } from '@lachesis/store';
import { defineCommand } from 'citty';
import { fail } from '../terminal/fail.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { openLocalStore, readStorePlace, type LocalStore } from '../flags/library/open-local-store.ts';

const where = {
  home: { type: 'string', description: 'folder of the SQLite database [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  tenant: { type: 'string', default: LOCAL_TENANT, description: 'whose tokens' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

const createFlags = {
  ...where,
  name: { type: 'string', required: true, description: 'what it is for' },
  scope: { type: 'string', required: true, description: `scopes, separated by commas: ${SCOPES.join(', ')}` },
  run: { type: 'string', description: 'good for this run alone, and for nothing else of the tenant' },
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
    refuseName('tenant', args.tenant);
    if (args.run !== undefined) refuseName('run', args.run);
    const lifetimeMs = readLifetime(args.expires ?? '90d');
    await withStore(args, async ({ store, audit }) => {
      const expiresAt = lifetimeMs === null ? null : (await store.now()) + lifetimeMs;
      const { tokenId, token } = await createToken({
        store,
        tenantId: args.tenant,
        name: args.name,
        scopes,
        expiresAt,
        run: args.run ?? null,
      });
      const things = { token: tokenId, scopes: scopes.join(','), ...(args.run === undefined ? {} : { run: args.run }) };
      await audit({ action: 'token create', tenantId: args.tenant, things });
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify({ token_id: tokenId, token, scopes, run: args.run ?? null, expires_at: expiresAt })}\n`
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
    await withStore(args, async ({ store }) => {
      const tokens = await listTokens({ store, tenantId: args.tenant });
      if (args.json === true) {
        process.stdout.write(`${JSON.stringify(tokens)}\n`);
        return;
      }
      if (tokens.length === 0)
        process.stdout.write('no tokens: a loopback server is open to everybody on this machine\n');
      for (const token of tokens) {
        const state = token.revokedAt !== null ? 'revoked' : describeExpiry(token.expiresAt);
        const run = token.run === null ? '' : `  run ${token.run}`;
        const used = token.lastUsedAt === null ? 'never used' : `last used ${new Date(token.lastUsedAt).toISOString()}`;
        process.stdout.write(
          `${token.tokenId}  ${token.name}  ${token.kind}  ${token.scopes.join(',')}${run}  ${state}  ${used}\n`,
        );
      }
    });
  },
});

const revoke = defineCommand({
  meta: { name: 'revoke', description: 'End a token; servers refuse it within a second.' },
  args: { ...where, id: { type: 'positional', required: true, description: 'the token id that `token list` shows' } },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(where, rawArgs);
    await withStore(args, async ({ store, audit }) => {
      const isRevoked = await revokeToken({ store, tenantId: args.tenant, tokenId: args.id });
      await audit({
        ...{ action: 'token revoke', tenantId: args.tenant, things: { token: toId(args.id) } },
        result: isRevoked ? 'ok' : 'not-found',
      });
      if (!isRevoked) fail(`there is no token ${args.id} to revoke. \`lachesis token list\` shows them.`);
      process.stdout.write(args.json === true ? `${JSON.stringify({ revoked: args.id })}\n` : `revoked ${args.id}\n`);
    });
  },
});

const rotateFlags = {
  id: { type: 'positional', required: true, description: 'the token id that `token list` shows' },
  overlap: { type: 'string', description: 'how long the old one is good beside it: 30m, 24h, 7d (default 24h)' },
  ...where,
} as const;

const rotate = defineCommand({
  meta: { name: 'rotate', description: 'Make a token that may do the same; the old one ends after the overlap.' },
  args: rotateFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(rotateFlags, rawArgs);
    const overlapMs = readLifetime(args.overlap ?? '24h') ?? fail('an overlap ends. Say for example 30m, 24h or 7d.');
    await withStore(args, async ({ store, audit }) => {
      const place = { store, tenantId: args.tenant, tokenId: args.id };
      const noted = { action: 'token rotate', tenantId: args.tenant };
      const rotated = await rotateToken({ ...place, overlapMs }).catch(async (error: unknown) => {
        if (!LachesisError.isInstance(error)) throw error;
        await audit({ ...noted, things: { token: toId(args.id) }, result: error.code });
        return fail(`${error.message}. ${error.hint ?? ''}`);
      });
      const { tokenId, token, expiresAt, oldExpiresAt, old } = rotated;
      await audit({ ...noted, things: { token: tokenId, old: old.tokenId } });
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify({ token_id: tokenId, token, expires_at: expiresAt, old: { token_id: old.tokenId, expires_at: oldExpiresAt } })}\n`
          : `${token}\n\nIt is not shown again. It may do what ${old.name} may. The old one is good until ${new Date(oldExpiresAt).toISOString()}.\n`,
      );
    });
  },
});

export const tokenCommand = defineCommand({
  meta: { name: 'token', description: 'Make, list, rotate and revoke access tokens.' },
  subCommands: { create, list, revoke, rotate },
});

async function withStore(args: Record<string, unknown>, work: (local: LocalStore) => Promise<void>): Promise<void> {
  await using local = await openLocalStore(readStorePlace(args));
  await work(local);
}

/** What was typed may be anything, also a whole token with its secret. */
function toId(text: string): string {
  return /^[0-9a-f-]{36}$/.test(text) ? text : '(no id)';
}

function refuseName(thing: NamedThing, name: string): void {
  if (!isName(thing, name))
    fail(`${JSON.stringify(name)} is not a valid name for a ${thing}: ${describeNames(thing)}.`);
}

function readLifetime(text: string): number | null {
  if (text === 'never') return null;
  const match = /^(\d{1,6})([mhd])$/.exec(text);
  if (match === null) fail(`${JSON.stringify(text)} is not a lifetime. Say for example 12h, 30d or never.`);
  return Number(match[1]) * ({ m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? ''] ?? 0);
}

function describeExpiry(expiresAt: number | null): string {
  return expiresAt === null ? 'does not expire' : `until ${new Date(expiresAt).toISOString()}`;
}

function listScopes(): string {
  return SCOPES.map((scope) => `  ${scope}: ${SCOPE_DESCRIPTIONS[scope]}`).join('\n');
}
