/*
 * `@lachesis/server/access`: who may call, for a server that is none of the stations, such as the MCP one of the CLI. An entry
 * of its own, because it loads what the parent of a station must not have in memory.
 */

export { Authenticator } from './http/access/authenticate.ts';
export { checkBrowser, LOOPBACK_HOSTS } from './http/access/check-browser.ts';
export { findCredential } from './http/access/find-credential.ts';
export { OpenReplies } from './http/open-replies.ts';
