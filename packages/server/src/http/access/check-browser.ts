import { LachesisError } from '@lachesis/protocol';
import type { IncomingHttpHeaders } from 'node:http';

export interface BrowserRules {
  /** Host names (without port) the server answers to; a rebinding page arrives with another one. */
  allowedHosts: ReadonlySet<string>;
  /** Origins of pages that may call; empty by default, because no page of ours runs elsewhere. */
  allowedOrigins: ReadonlySet<string>;
  /** Whether this server has a page of its own, which may call where the browser says that it is ours. */
  hasPage?: boolean | undefined;
}

/** The names of this machine that a browser may send in the `Host` header. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses calls that a web page could have made somebody's browser send. */
export function checkBrowser(headers: IncomingHttpHeaders, rules: BrowserRules): void {
  const host = hostName(headers.host);
  if (host === null || !rules.allowedHosts.has(host)) {
    throw forbidden(
      `the Host header ${JSON.stringify(headers.host ?? '')} is not one this server answers to`,
      'Add it with --allow-hosts.',
    );
  }
  const { origin } = headers;
  if (origin !== undefined && !rules.allowedOrigins.has(origin) && !isOwnPage(headers, rules)) {
    throw forbidden(
      `pages of ${JSON.stringify(origin)} may not call this server`,
      'Add the origin with --allow-origins.',
    );
  }
  const site = headers['sec-fetch-site'];
  if (origin === undefined && site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden(
      'another site may not call this server',
      'Call it from a program, or add its origin with --allow-origins.',
    );
  }
}

/**
 * The name of the host was checked before, so a page that has it came from here. No page can write the metadata itself; where
 * a browser sends none, as over plain HTTP to another machine, nothing proves that it is ours.
 */
const isOwnPage = (headers: IncomingHttpHeaders, { hasPage = false }: BrowserRules): boolean =>
  hasPage && headers.origin === `http://${headers.host}` && headers['sec-fetch-site'] === 'same-origin';

function hostName(host: string | undefined): string | null {
  if (host === undefined) return null;
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]@/\s]+)(?::\d{1,5})?$/.exec(host);
  return match?.[1]?.toLowerCase() ?? null;
}

function forbidden(message: string, hint: string): LachesisError {
  return new LachesisError({ code: 'forbidden', message, hint });
}
