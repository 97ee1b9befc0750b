/*
 * The public surface of @lachesis/server: how its processes are started and set. Every export is a promise; what is not
 * named here may change at any time.
 */

export { startTrajectoryApi } from './processes/trajectory-api.ts';
export type { TrajectoryApiProcessOptions } from './processes/trajectory-api.ts';
export type { SocketKeeper } from './processes/socket-keeper.ts';
export { readTrajectoryApiSettings, SettingError, TRAJECTORY_API_SETTINGS } from './platform/settings/read-settings.ts';
export type { ResolvedSettings, SettingOrigin, TrajectoryApiSettings } from './platform/settings/read-settings.ts';
