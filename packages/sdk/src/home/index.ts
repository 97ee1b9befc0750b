/*
 * @lachesis/sdk/home: the folder of this user, and the token that a server left in it.
 */

export { findHome } from './find-home.ts';
export { findServerToken } from './find-server-token.ts';
export { readPrivateFile } from './private-file.ts';
