import { createLog } from '../http/logs/create-log.ts';
import type { InferenceSettings } from '../http/settings/inference-settings.ts';
import { buildInference } from './build.ts';
import { serveConnections } from '../process/serve-connections.ts';

const DRAIN_MS = 10_000;

/** The settings come from the parent. */
export async function serveInference(): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as InferenceSettings;
  const log = createLog({ name: 'inference', level: settings.logLevel });
  await serveConnections({
    name: 'the inference server',
    log,
    drainMs: DRAIN_MS,
    build: () => buildInference({ settings, log }),
  });
}

if (import.meta.main) await serveInference();
