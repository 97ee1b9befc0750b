import { KEY_PATH } from '@lachesis/protocol';
import type { IncomingMessage } from 'node:http';

const IN_PATH = /^\/key\/([^/?]+)(.*)$/s;

const keys = new WeakMap<IncomingMessage, string>();

/**
 * Takes the key out of `/key/<key>/v1/…` before anything else sees the request: routes, metrics, errors and records know the
 * path without it.
 */
export function takePathKey(request: IncomingMessage & { originalUrl?: string }): string {
  const url = request.url ?? '/';
  const [, key, rest = ''] = url.startsWith(KEY_PATH) ? (IN_PATH.exec(url) ?? []) : [];
  if (key === undefined) return url;
  keys.set(request, key);
  const left = rest.startsWith('/') ? rest : `/${rest}`;
  request.originalUrl = left;
  return left;
}

/** The key that stood in the path. */
export function pathKeyOf(request: IncomingMessage): string | undefined {
  return keys.get(request);
}
