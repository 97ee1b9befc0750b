import type { Socket } from 'node:net';
import { createLog } from '../platform/logs/create-log.ts';
import type { InferenceSettings } from '../platform/settings/inference-settings.ts';
import { SettingError } from '../platform/settings/setting-error.ts';
import { buildInference } from './inference-build.ts';
import { ConnectionDrain } from './connection-drain.ts';
import type { ChildMessage, ParentMessage } from './socket-keeper.ts';

/** A completion under way gets this long to end when the server stops. */
const DRAIN_MS = 10_000;

/** Serves the connections that the parent hands over; when the parent is gone, so are we. */
export async function serveInference(): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as InferenceSettings;
  const log = createLog({ name: 'inference', level: settings.logLevel });
  try {
    const { app, close } = await buildInference({ settings, log });
    const { server } = app;
    // The timers that end slow requests start with this event; we never listen ourselves.
    server.emit('listening');
    const drain = new ConnectionDrain(server);
    let stopping: Promise<void> | null = null;
    const stop = (): Promise<void> => {
      stopping ??= drain
        .finish(DRAIN_MS)
        .then(close)
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
    if (!(error instanceof SettingError)) log.error({ err: error }, 'the inference server could not start');
    process.send?.({ type: 'refused', message, isFinal: error instanceof SettingError }, () => process.exit(1));
  }
}

if (import.meta.main) await serveInference();
