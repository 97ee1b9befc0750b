import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { QueueStatistics } from './queue-statistics.ts';
import { computeEnvironmentWeight, statusForEnvironment, type EnvironmentStatus } from './status-for-environment.ts';
import { summarizeEnvironments, type StatusEnvironment } from './summarize-environments.ts';

interface StatusVector {
  batch_size: number;
  environments: {
    env_id: number;
    connected: boolean;
    min_batch_allocation: number | null;
    max_context_len: number;
    weight: number;
    group_size: number;
  }[];
  groups: [envId: number | null, sequenceCount: number][];
  env_id: number;
  status: EnvironmentStatus | null;
}

const vectors = JSON.parse(
  readFileSync(
    new URL('../../../../../test/conformance/atropos/data/status-env-vectors.json', import.meta.url),
    'utf8',
  ),
) as StatusVector[];

function answerVector(vector: StatusVector): EnvironmentStatus {
  const environments = vector.environments.map<StatusEnvironment>((env) => ({
    envId: env.env_id,
    connected: env.connected,
    minBatchAllocation: env.min_batch_allocation,
    maxContextLength: env.max_context_len,
    weight: env.weight,
    groupSize: env.group_size,
  }));
  const statistics = new QueueStatistics();
  for (const [envId, sequenceCount] of vector.groups) statistics.add({ envId, sequenceCount });
  return statusForEnvironment({
    statistics,
    summary: summarizeEnvironments({ batchSize: vector.batch_size, environments }),
    environment: environments.at(vector.env_id) as StatusEnvironment,
    envId: vector.env_id,
  });
}

describe('statusForEnvironment', () => {
  it('gives the recorded answers of atroposlib to the last digit', () => {
    const answered = vectors.filter((vector) => vector.status !== null);
    expect(answered.length).toBeGreaterThanOrEqual(300);
    for (const vector of answered) expect({ ...vector, status: answerVector(vector) }).toEqual(vector);
  });

  it('has no weight to give exactly where atroposlib fails on a total of zero', () => {
    const failed = vectors.filter((vector) => vector.status === null);
    expect(failed.length).toBeGreaterThan(0);
    for (const vector of failed)
      expect({ ...vector, weight: answerVector(vector).env_weight }).toEqual({ ...vector, weight: null });
  });

  const environment: StatusEnvironment = {
    envId: 0,
    connected: true,
    minBatchAllocation: null,
    maxContextLength: 1,
    weight: 1,
    groupSize: 4,
  };
  const summary = summarizeEnvironments({ batchSize: 8, environments: [environment] });

  it('raises the group size to the largest own group queued', () => {
    const statistics = new QueueStatistics();
    statistics.add({ envId: 0, sequenceCount: 8 });
    statistics.add({ envId: 1, sequenceCount: 16 });
    expect(statusForEnvironment({ statistics, summary, environment })).toMatchObject({
      env_group_size: 8,
      max_group_size: 16,
      queue_size: 3,
      self_queue_size: 1,
    });
  });

  it('counts other environments as nothing while the largest group is a single sequence', () => {
    const statistics = new QueueStatistics();
    for (let count = 0; count < 12; count++) statistics.add({ envId: 1, sequenceCount: 1 });
    expect(statusForEnvironment({ statistics, summary, environment })).toMatchObject({ queue_size: 0 });
  });

  it('counts sequences where the registered group size is zero', () => {
    const statistics = new QueueStatistics();
    statistics.add({ envId: 1, sequenceCount: 4 });
    const status = statusForEnvironment({ statistics, summary, environment: { ...environment, groupSize: 0 } });
    expect(status).toMatchObject({ queue_size: 4, self_queue_size: 0, env_group_size: 0 });
  });
});

describe('computeEnvironmentWeight', () => {
  it('never falls below a hundredth', () => {
    for (const weight of [0, -1, 1e-9, Number.NaN]) {
      const options = { environment: { maxContextLength: 1, weight }, summary: { totalWeight: 1 } };
      expect(computeEnvironmentWeight(options)).toBe(0.01);
    }
  });

  it('is null when all environments together weigh nothing', () => {
    const options = { environment: { maxContextLength: 1, weight: 1 }, summary: { totalWeight: 0 } };
    expect(computeEnvironmentWeight(options)).toBeNull();
  });
});
