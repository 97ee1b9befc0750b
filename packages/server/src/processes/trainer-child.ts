import { recipeSchema } from '@lachesis/protocol';
import type { Socket } from 'node:net';
import { createLog } from '../platform/logs/create-log.ts';
import { SettingError } from '../platform/settings/setting-error.ts';
import type { TrainerSettings } from '../platform/settings/trainer-settings.ts';
import { ConnectionDrain } from './connection-drain.ts';
import type { ChildMessage, ParentMessage } from './socket-keeper.ts';
import { buildTrainer } from './trainer-build.ts';

/** A completion under way gets this long to end when the server stops. */
const DRAIN_MS = 5_000;

/** Trains, and serves the connections that the parent hands over; when the parent is gone, so are we. */
export async function serveTrainer(): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as TrainerSettings;
  const recipe = recipeSchema.parse(JSON.parse(process.env['LACHESIS_CHILD_RECIPE'] ?? '{}'));
  const log = createLog({ name: 'trainer', level: settings.logLevel });
  try {
    const onLine = (line: string): void => void process.stdout.write(`${line}\n`);
    const built = await buildTrainer({ settings, recipe, log, onLine });
    const { server } = built.app;
    // The timers that end slow requests start with this event; we never listen ourselves.
    server.emit('listening');
    const drain = new ConnectionDrain(server);
    let stopping: Promise<void> | null = null;
    const stop = (): Promise<void> => {
      stopping ??= drain
        .finish(DRAIN_MS)
        .then(() => built.close())
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
    await built.train();
    const { state, detail } = built.status();
    process.stdout.write(`training ${state}: ${detail}\n`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof SettingError)) log.error({ err: error }, 'the trainer could not start');
    process.send?.({ type: 'refused', message, isFinal: error instanceof SettingError }, () => process.exit(1));
  }
}

if (import.meta.main) await serveTrainer();
