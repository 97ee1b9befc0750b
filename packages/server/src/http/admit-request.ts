import { hasScope, LachesisError, SCOPE_DESCRIPTIONS, type Scope } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from './access/authenticate.ts';
import { findCredential } from './access/find-credential.ts';
import { LOCAL_PRINCIPAL, type Principal } from './access/principal.ts';
import { pathKeyOf } from './path-key.ts';
import { readRunName } from './read-run-name.ts';
import type { Route } from './route.ts';

export interface AdmitOptions {
  authenticator: Authenticator;
  /**
   * For a server that asks a model: its callers may have a key in the path, good for `inference:call` alone, and an
   * `Authorization` that is the provider's.
   */
  hasProvider?: boolean | undefined;
  /** The run that everything here belongs to, for a server that serves one; others say it by their paths. */
  run?: string | undefined;
  /** The tenant whose things are served, for a server that serves those of one; tokens of others are refused. */
  tenant?: string | undefined;
}

/** How one request is judged. */
interface JudgeOptions extends AdmitOptions {
  /** How old what is known of the token may be. */
  maxAgeMs?: number;
  /** Told who it is, also when they are refused. */
  onCaller?: (principal: Principal) => void;
}

/** Who calls a route, or why they may not. */
export async function admitRequest(
  request: FastifyRequest,
  route: Route,
  { authenticator, hasProvider = false, run, tenant, maxAgeMs, onCaller }: JudgeOptions,
): Promise<Principal> {
  if (route.scope === 'public') return LOCAL_PRINCIPAL;
  const { headers, raw } = request;
  const credential = findCredential({ headers, pathKey: pathKeyOf(raw), hasProvider });
  const principal = await authenticator.authenticate(credential.text, maxAgeMs);
  onCaller?.(principal);
  if (credential.isFromPath) refuseWidePathKey(principal, route, hasProvider);
  needScope(principal, route.scope);
  if (tenant !== undefined && principal.tenantId !== tenant) {
    throw new LachesisError({
      code: 'forbidden',
      message: `token ${principal.tokenId ?? ''} is of another tenant than what is served here`,
      hint: 'Ask with a token of the tenant that started this server.',
    });
  }
  if (principal.run === null || principal.run === findRunOf(request, route, run)) return principal;
  throw new LachesisError({
    code: 'forbidden',
    message: `token ${principal.tokenId ?? ''} is good for the run ${principal.run} alone`,
    hint: 'Ask with a token of that run, or with one that names no run: `lachesis token create` without --run.',
  });
}

/** Throws `forbidden`. */
export function needScope({ scopes, tokenId }: Principal, scope: Scope): void {
  if (hasScope(scopes, scope)) return;
  throw new LachesisError({
    code: 'forbidden',
    message: `token ${tokenId ?? ''} lacks the scope ${scope}`,
    hint: `${scope}: ${SCOPE_DESCRIPTIONS[scope]}`,
  });
}

/** The run a request is about; undefined for what concerns the whole tenant, which a token of one run may not touch. */
function findRunOf(request: FastifyRequest, route: Route, own: string | undefined): string | undefined {
  if (route.perRun) return readRunName(request);
  if (route.runParameter === undefined) return own;
  return (request.params as Record<string, string | undefined>)[route.runParameter];
}

/** An address is written into files and shown on screens: what stands in it must be of little use to who finds it. */
function refuseWidePathKey({ tokenId, scopes }: Principal, route: Route, hasProvider: boolean): void {
  const isNarrow = tokenId === null || scopes.every((scope) => scope === 'inference:call');
  if (hasProvider && route.scope === 'inference:call' && isNarrow) return;
  throw new LachesisError({
    code: 'forbidden',
    message: isNarrow
      ? 'a key in the path is good for calls of the model alone'
      : `token ${tokenId ?? ''} may do more than inference:call, and must not stand in a path`,
    hint: 'Send the token as `Authorization: Bearer <token>` or `x-lachesis-token: <token>`.',
  });
}
