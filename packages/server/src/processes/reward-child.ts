import { createLog } from '../platform/logs/create-log.ts';
import type { RewardSettings } from '../platform/settings/reward-settings.ts';
import { buildReward } from './reward-build.ts';
import { serveConnections } from './serve-connections.ts';

const DRAIN_MS = 10_000;

/** The settings come from the parent. */
export async function serveReward(): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as RewardSettings;
  const log = createLog({ name: 'reward', level: settings.logLevel });
  await serveConnections({
    name: 'the reward server',
    log,
    drainMs: DRAIN_MS,
    build: () => buildReward({ settings, log }),
  });
}

if (import.meta.main) await serveReward();
