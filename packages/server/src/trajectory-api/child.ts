import { createLog } from '../http/logs/create-log.ts';
import type { TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import { buildTrajectoryApi, type TrajectoryApiReplacements } from './build.ts';
import { serveConnections } from '../process/serve-connections.ts';

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
