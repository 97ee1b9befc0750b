import { oversightSchemas } from '@lachesis/protocol';
import {
  listAudit,
  listLeases,
  listTokens,
  readAuditAnchor,
  verifyAudit,
  type AuditPublicKey,
  type Store,
} from '@lachesis/store';
import type { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';

export interface OversightDeps {
  store: Store;
  home: string;
  /** Whose signatures count. */
  auditKey: AuditPublicKey;
  now: () => number;
}

type AuditCheck = z.infer<typeof oversightSchemas.auditCheck>;

const KINDS = ['supervision', 'record-training', 'improvement', 'rating'] as const;

/** Who holds what, who may call, and what was done. */
export function createOversightRoutes({ store, home, auditKey, now }: OversightDeps): Route[] {
  let checking: Promise<AuditCheck> | undefined;
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/leases',
      scope: 'view',
      summary: 'What somebody holds now: runs, trainings, improvements, and what is being rated.',
      reply: oversightSchemas.leases,
      handle: async ({ principal: { tenantId } }) => ({
        leases: (await Promise.all(KINDS.map((kind) => listLeases({ store, tenantId, kind }))))
          .flat()
          .map(({ kind, resource, holder, epoch, expiresAt }) => ({
            ...{ kind, resource, holder, epoch, expires_at: expiresAt },
          })),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/tokens',
      scope: 'admin',
      summary: 'Tokens of the tenant without their secrets, expired and revoked ones too.',
      reply: oversightSchemas.tokens,
      handle: async ({ principal: { tenantId } }) => ({
        tokens: (await listTokens({ store, tenantId })).map((token) => ({
          ...{ token_id: token.tokenId, name: token.name, kind: token.kind, scopes: token.scopes, run: token.run },
          ...{ created_at: token.createdAt, expires_at: token.expiresAt, revoked_at: token.revokedAt },
          last_used_at: token.lastUsedAt,
        })),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/audit',
      scope: 'admin',
      summary: 'The newest lines of the audit log that are about this tenant, the oldest first.',
      query: oversightSchemas.auditQuery,
      reply: oversightSchemas.audit,
      handle: async ({ principal: { tenantId }, query: { limit, since, action, refused } }) => ({
        lines: (await listAudit({ store, filter: { tenantId, since, action, isRefused: refused }, limit })).map(
          ({ cursor, at, action: done, tokenId, from, by, things, result, count, until = null }) => ({
            ...{ cursor, at, action: done, token_id: tokenId, from, by, things, result, count, until },
          }),
        ),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/audit/check',
      scope: 'admin',
      summary: 'Read the whole audit log, and say whether every line is as it was written.',
      reply: oversightSchemas.auditCheck,
      // It reads every line: those who ask at once are told the same.
      handle: () => (checking ??= checkAudit({ store, home, auditKey, now }).finally(() => (checking = undefined))),
    }),
  ];
}

async function checkAudit({ store, home, auditKey, now }: OversightDeps): Promise<AuditCheck> {
  const remembered = await readAuditAnchor(home);
  const verdict = await verifyAudit({
    ...{ store, keys: [auditKey], anchors: remembered === undefined ? [] : [remembered] },
  });
  const checkedAt = now();
  if (!verdict.ok) {
    const { cursor, reason } = verdict;
    return { is_whole: false, lines: 0, fault: { cursor, reason }, hash: null, checked_at: checkedAt };
  }
  const { lines, to } = verdict;
  return { is_whole: true, lines, fault: null, hash: lines === 0 ? null : to.hash, checked_at: checkedAt };
}
