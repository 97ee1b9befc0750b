/*
 * @lachesis/protocol/home: the layout of the folder of Lachesis. Loads no schema, since it stands before every command.
 */

export { defaultHome, homePaths, outboxPaths, readTenantFolder, runPath } from './home-paths.ts';
