import { createLog } from '../platform/logs/create-log.ts';
import type { TrajectoryApiSettings } from '../platform/settings/trajectory-api-settings.ts';
import { buildTrajectoryApi, type TrajectoryApiReplacements } from './build-trajectory-api.ts';
import { serveConnections } from './serve-connections.ts';

const DRAIN_MS = 10_000;

/** The settings come from the parent. */
export async function serveTrajectoryApi(replace: TrajectoryApiReplacements = {}): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as TrajectoryApiSettings;
  const instanceId = process.env['LACHESIS_INSTANCE'] ?? 'alone';
  const log = createLog({ name: 'trajectory-api', level: settings.logLevel });
  await serveConnections({
    name: 'the trajectory API',
    log,
    drainMs: DRAIN_MS,
    build: () => buildTrajectoryApi({ settings, log, instanceId, replace }),
  });
}

if (import.meta.main) await serveTrajectoryApi();
