import type { InferenceSettings } from '../http/settings/inference-settings.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { SocketSupervisor } from '../process/supervise-socket.ts';

export interface InferenceProcessOptions {
  settings: InferenceSettings;
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** Starts the inference server: a parent that keeps the socket, and the child that serves. */
export function startInference({ settings, onRestart }: InferenceProcessOptions): Promise<SocketSupervisor> {
  return superviseChild({ settings, beside: import.meta.url, onRestart });
}
