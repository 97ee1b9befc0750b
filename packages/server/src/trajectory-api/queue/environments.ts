import type { EnvironmentRecord } from '@lachesis/store';
import { currentStep, type QueueState } from './state.ts';
import { recordEvent, type Turn } from './turn.ts';

/** The reason of a disconnection that ends as soon as the environment speaks again. */
export const SILENT = 'silent';

export interface EnvironmentRegistration {
  maxTokenLength: number;
  desiredName: string;
  weight: number;
  groupSize: number;
  minBatchAllocation: number | null;
}

export type RegisterEnvironmentResult =
  | { kind: 'wait' }
  | { kind: 'registered'; environment: EnvironmentRecord; step: number };

export function registerEnvironment(turn: Turn, request: EnvironmentRegistration): RegisterEnvironmentResult {
  const { state } = turn;
  if (!state.record.started) return { kind: 'wait' };
  const namesakes = state.environments.filter((other) => other.desiredName === request.desiredName).length;
  const environment: EnvironmentRecord = {
    environmentId: turn.nextId(),
    ordinal: state.environments.length,
    desiredName: request.desiredName,
    realName: `${request.desiredName}_${namesakes}`,
    weight: request.weight,
    maxContextLen: request.maxTokenLength,
    groupSize: request.groupSize,
    minBatchAllocation: request.minBatchAllocation,
    connected: true,
    disconnectReason: null,
    registeredAt: turn.now,
  };
  state.environments.push(environment);
  state.environmentsRevision += 1;
  turn.changes.environmentWrites.set(environment.ordinal, environment);
  recordEvent(turn, 'environment-registered', { env_id: environment.ordinal, name: environment.realName });
  return { kind: 'registered', environment, step: currentStep(state, { countsFormed: turn.rules.deviates }) };
}

/** Finds the environment an `env_id` of the wire means. Negative ids count from the end, as in the original. */
export function resolveEnvironment(state: QueueState, envId: number | null): EnvironmentRecord | undefined {
  return envId === null ? undefined : state.environments.at(envId);
}

export function setEnvironmentConnected(
  turn: Turn,
  environment: EnvironmentRecord,
  options: { connected: boolean; reason: string },
): void {
  if (environment.connected === options.connected) return;
  environment.connected = options.connected;
  environment.disconnectReason = options.connected ? null : options.reason;
  turn.state.environmentsRevision += 1;
  turn.changes.environmentWrites.set(environment.ordinal, environment);
  recordEvent(turn, options.connected ? 'environment-connected' : 'environment-disconnected', {
    env_id: environment.ordinal,
    name: environment.realName,
    reason: options.reason,
  });
}

/** Packing by minimums is in force as soon as one connected environment asks for a share. */
export function usesMinimums(state: QueueState): boolean {
  return state.environments.some((environment) => environment.connected && environment.minBatchAllocation !== null);
}
