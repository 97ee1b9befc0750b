import { createLog } from '../http/logs/create-log.ts';
import type { RewardSettings } from '../http/settings/reward-settings.ts';
import { buildReward } from './build.ts';
import { serveConnections } from '../process/serve-connections.ts';

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
