import type { EnvironmentRecord } from '@lachesis/store';
import { currentStep, type QueueState } from './state.ts';
import { recordEvent, type Transaction } from './transaction.ts';

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

export function registerEnvironment(
  transaction: Transaction,
  request: EnvironmentRegistration,
): RegisterEnvironmentResult {
  const { state } = transaction;
  if (!state.record.started) return { kind: 'wait' };
  const namesakes = state.environments.filter((other) => other.desiredName === request.desiredName).length;
  const environment: EnvironmentRecord = {
    environmentId: transaction.nextId(),
    ordinal: state.environments.length,
    desiredName: request.desiredName,
    realName: `${request.desiredName}_${namesakes}`,
    weight: request.weight,
    maxContextLen: request.maxTokenLength,
    groupSize: request.groupSize,
    minBatchAllocation: request.minBatchAllocation,
    connected: true,
    disconnectReason: null,
    registeredAt: transaction.now,
    heardAt: null,
  };
  state.environments.push(environment);
  state.environmentsRevision += 1;
  transaction.changes.environmentWrites.set(environment.ordinal, environment);
  recordEvent(transaction, 'environment-registered', { env_id: environment.ordinal, name: environment.realName });
  return { kind: 'registered', environment, step: currentStep(state, { countsFormed: transaction.rules.deviates }) };
}

/** Finds the environment an `env_id` of the wire means. Negative ids count from the end, as in the original. */
export function resolveEnvironment(state: QueueState, envId: number | null): EnvironmentRecord | undefined {
  return envId === null ? undefined : state.environments.at(envId);
}

export function setEnvironmentConnected(
  transaction: Transaction,
  environment: EnvironmentRecord,
  options: { connected: boolean; reason: string },
): void {
  if (environment.connected === options.connected) return;
  environment.connected = options.connected;
  environment.disconnectReason = options.connected ? null : options.reason;
  transaction.state.environmentsRevision += 1;
  transaction.changes.environmentWrites.set(environment.ordinal, environment);
  recordEvent(transaction, options.connected ? 'environment-connected' : 'environment-disconnected', {
    env_id: environment.ordinal,
    name: environment.realName,
    reason: options.reason,
  });
}

/** Packing by minimums is in force as soon as one connected environment asks for a share. */
export function usesMinimums(state: QueueState): boolean {
  return state.environments.some((environment) => environment.connected && environment.minBatchAllocation !== null);
}
