import type { RewardSettings } from '../http/settings/reward-settings.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketSupervisor } from '../process/supervise-socket.ts';

export interface RewardProcessOptions {
  settings: RewardSettings;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the server of a reward model: a parent that keeps the socket, and the child that answers. */
export function startReward({ settings, onRestart }: RewardProcessOptions): Promise<SocketSupervisor> {
  return superviseChild({ settings, beside: import.meta.url, onRestart });
}
