import { HEADERS, TOKEN_PREFIX } from '@lachesis/protocol';
import type { IncomingHttpHeaders } from 'node:http';
import { readCredential } from './read-credential.ts';

export interface FoundCredential {
  /** Null when the caller showed none. */
  text: string | null;
  /** A key in a path is seen by more eyes than a header: it may do less. */
  isFromPath: boolean;
}

export interface CredentialPlaces {
  headers: IncomingHttpHeaders;
  pathKey: string | undefined;
  /** Whether an `Authorization` may be for the provider behind this server. It is then none of ours unless it looks like it. */
  hasProvider: boolean;
}

/** The credential of a call: our own header, then `Authorization`, then the key in the path. */
export function findCredential({ headers, pathKey, hasProvider }: CredentialPlaces): FoundCredential {
  const own = headers[HEADERS.token];
  if (typeof own === 'string' && own.trim() !== '') return { text: own.trim(), isFromPath: false };
  const authorization = readCredential(headers.authorization);
  if (authorization !== null && (!hasProvider || authorization.startsWith(TOKEN_PREFIX)))
    return { text: authorization, isFromPath: false };
  return pathKey === undefined ? { text: null, isFromPath: false } : { text: pathKey, isFromPath: true };
}
