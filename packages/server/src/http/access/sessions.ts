import { isScope, LachesisError, type sessionSchemas } from '@lachesis/protocol';
import { createSessionCode, listTokens, openSession, type Store } from '@lachesis/store';
import type { z } from 'zod';
import type { Principal } from './principal.ts';

type Shapes = { [Name in keyof typeof sessionSchemas]: z.infer<(typeof sessionSchemas)[Name]> };

/** Long enough to go from a terminal to a browser. */
const CODE_MS = 10 * 60_000;
/** A page that is open uses its session all the time; one that was closed ends. */
export const SESSION_MS = 60 * 60_000;

/** Sessions of pages: codes that are good once, and the tokens they are traded for. */
export interface Sessions {
  makeCode(principal: Principal): Promise<Shapes['code']>;
  /** Null for who showed no code. */
  open(code: string | null): Promise<Shapes['opened']>;
  describe(principal: Principal): Promise<Shapes['own']>;
}

export function createSessions(store: Store): Sessions {
  const findOwn = async ({ tenantId, tokenId }: Principal) =>
    tokenId === null ? undefined : (await listTokens({ store, tenantId })).find((token) => token.tokenId === tokenId);
  return {
    async makeCode(principal) {
      const maker = await findOwn(principal);
      if (maker === undefined) throw needsNone();
      const { code, expiresAt } = await createSessionCode({ store, maker, lifetimeMs: CODE_MS });
      return { code, expires_at: expiresAt };
    },
    async open(code) {
      const opened = code === null ? undefined : await openSession({ store, code, lifetimeMs: SESSION_MS });
      if (opened === undefined) throw badCode();
      return { token: opened.token, scopes: opened.scopes.filter(isScope), expires_at: opened.expiresAt };
    },
    async describe(principal) {
      const own = await findOwn(principal);
      const { tenantId: tenant, tokenId } = principal;
      return { tenant, scopes: [...principal.scopes], token_id: tokenId, expires_at: own?.expiresAt ?? null };
    },
  };
}

const needsNone = (): LachesisError =>
  new LachesisError({
    code: 'conflict',
    message: 'this server asks for no token, and its page for no code',
    hint: 'Open its address as it is; `lachesis token create` closes the server.',
  });

const badCode = (): LachesisError =>
  new LachesisError({
    code: 'unauthorized',
    message: 'the code is unknown, was used or has expired',
    hint: 'Send it as `Authorization: Bearer <code>`. It is good once, for ten minutes; `lachesis ui` makes another.',
  });
