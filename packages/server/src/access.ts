/*
 * `@lachesis/server/access`: who may call, for a server that is none of the stations, such as the MCP one of the CLI. A door
 * of its own, because it loads what the parent of a station must not have in memory.
 */

export { Authenticator } from './platform/access/authenticate.ts';
export type { TokenDirectory } from './platform/access/authenticate.ts';
export { checkBrowser, LOOPBACK_HOSTS } from './platform/access/check-browser.ts';
export type { BrowserRules } from './platform/access/check-browser.ts';
export { findCredential } from './platform/access/find-credential.ts';
export type { CredentialPlaces, FoundCredential } from './platform/access/find-credential.ts';
export type { Principal } from './platform/access/principal.ts';
export { OpenReplies } from './platform/http/open-replies.ts';
