import type { Socket } from 'node:net';
import { createLog } from '../platform/logs/create-log.ts';
import { SettingError } from '../platform/settings/setting-error.ts';
import type { TrajectoryApiSettings } from '../platform/settings/trajectory-api-settings.ts';
import { buildTrajectoryApi, type TrajectoryApiReplacements } from './build-trajectory-api.ts';
import { ConnectionDrain } from './connection-drain.ts';
import type { ChildMessage, ParentMessage } from './socket-keeper.ts';

/** A request under way gets this long to end when the server stops. */
const DRAIN_MS = 10_000;

/**
 * Serves the connections that the parent hands over. The settings come from the parent; when the parent is gone, so are
 * we, because nobody could reach us any more.
 */
export async function serveTrajectoryApi(replace: TrajectoryApiReplacements = {}): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as TrajectoryApiSettings;
  const instanceId = process.env['LACHESIS_INSTANCE'] ?? 'alone';
  const log = createLog({ name: 'trajectory-api', level: settings.logLevel });
  try {
    const api = await buildTrajectoryApi({ settings, log, instanceId, replace });
    const { server } = api.app;
    // The timers that end slow requests start with this event; we never listen ourselves.
    server.emit('listening');
    const drain = new ConnectionDrain(server);

    let stopping: Promise<void> | null = null;
    const stop = (): Promise<void> => {
      stopping ??= drain
        .finish(DRAIN_MS)
        .then(() => api.close())
        .then(() => process.exit(0));
      return stopping;
    };
    process.on('message', (message: ParentMessage, socket?: Socket) => {
      if (message.type === 'connection' && socket !== undefined) {
        // Not a byte is read before the parent knows: what we have read nobody else could answer.
        process.send?.({ type: 'taken', id: message.id } satisfies ChildMessage, () => {
          drain.add(socket);
          server.emit('connection', socket);
          socket.resume();
        });
      } else if (message.type === 'stop') {
        void stop();
      }
    });
    process.on('disconnect', () => void stop());
    // A terminal sends its signals to the whole group; the parent tells us what to do.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => void stop());
    process.send?.({ type: 'ready' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof SettingError)) log.error({ err: error }, 'the trajectory API could not start');
    process.send?.({ type: 'refused', message, isFinal: error instanceof SettingError }, () => process.exit(1));
  }
}

if (import.meta.main) await serveTrajectoryApi();
