import type { ControlSettings } from '../platform/settings/control-settings.ts';
import { keepChild } from './keep-child.ts';
import type { SocketKeeper } from './socket-keeper.ts';

export interface ControlProcessOptions {
  settings: ControlSettings;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the control process: a parent that keeps the socket, and the child that serves. */
export function startControl({ settings, onRestart }: ControlProcessOptions): Promise<SocketKeeper> {
  return keepChild({ settings, child: 'control-child', onRestart });
}
