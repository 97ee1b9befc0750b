import { expect, test } from 'vitest';

import { readCheckpointList } from './checkpoint-list.ts';
import {
  planArchive,
  planDeleteCheckpoint,
  planExternalWeightsUrls,
  planListCheckpoints,
  planListRuns,
  planPublishCheckpoint,
  planReadRun,
  planSetCheckpointTtl,
  planUnpublishCheckpoint,
  planWeightsInfo,
} from './request-plans.ts';

const path = 'tinker://s:train:0/sampler_weights/n';
const checkpoint = 'api/v1/training_runs/s:train:0/checkpoints/sampler_weights/n';

test('each call is the route the servers have, with the slash of the checkpoint id left as it is', () => {
  expect([
    planListRuns({ limit: 10, offset: 20 }),
    planReadRun({ run: 'r' }),
    planListCheckpoints({ run: 'r' }),
    planListCheckpoints({ limit: 5 }),
    planListCheckpoints(),
    planDeleteCheckpoint(path),
    planDeleteCheckpoint('tinker://r/n'),
    planPublishCheckpoint(path),
    planUnpublishCheckpoint(path),
    planSetCheckpointTtl(path, 3600),
    planSetCheckpointTtl(path, null),
    planWeightsInfo('tinker://r/weights/n'),
    planArchive(path, 'typed'),
    planArchive(path, 'bare'),
    planExternalWeightsUrls('tinker://r/external_weights/n'),
  ]).toEqual([
    { method: 'GET', path: 'api/v1/training_runs', query: { limit: '10', offset: '20' } },
    { method: 'GET', path: 'api/v1/training_runs/r' },
    { method: 'GET', path: 'api/v1/training_runs/r/checkpoints' },
    { method: 'GET', path: 'api/v1/checkpoints', query: { limit: '5' } },
    { method: 'GET', path: 'api/v1/checkpoints' },
    { method: 'DELETE', path: checkpoint },
    { method: 'DELETE', path: 'api/v1/training_runs/r/checkpoints/sampler_weights/n' },
    { method: 'POST', path: `${checkpoint}/publish` },
    { method: 'DELETE', path: `${checkpoint}/publish` },
    { method: 'PUT', path: `${checkpoint}/ttl`, body: { ttl_seconds: 3600 } },
    { method: 'PUT', path: `${checkpoint}/ttl`, body: { ttl_seconds: null } },
    { method: 'POST', path: 'api/v1/weights_info', body: { tinker_path: 'tinker://r/weights/n' } },
    { method: 'GET', path: `${checkpoint}/archive` },
    { method: 'GET', path: 'api/v1/training_runs/s:train:0/checkpoints/n/archive' },
    { method: 'GET', path: 'api/v1/training_runs/r/checkpoints/external_weights/n/external_weights_urls' },
  ]);
});

test('a run id cannot become another route, and a life is an hour to ten years', () => {
  expect(() => planReadRun({ run: '../sessions' })).toThrow(/path/);
  expect(() => planListCheckpoints({ run: 'a/b' })).toThrow(/path/);
  for (const seconds of [0, 3599, 1.5, 315_360_001, Number.NaN]) {
    expect(() => planSetCheckpointTtl(path, seconds)).toThrow(/whole seconds/);
  }
});

test('a list of checkpoints is read from servers that say much and from those that say little', () => {
  const little = {
    checkpoint_id: 'n',
    checkpoint_type: 'sampler',
    time: null,
    tinker_path: 'tinker://r/sampler_weights/n',
  };
  const much = {
    ...little,
    time: '2026-01-01T00:00:00Z',
    size_bytes: 5,
    public: true,
    user_metadata: { a: 1 },
    more: 1,
  };
  const { checkpoints, totalCount } = readCheckpointList({ checkpoints: [little, much], cursor: { total_count: 2 } });
  expect([checkpoints[0]!.sizeBytes, checkpoints[0]!.isPublic, totalCount]).toEqual([undefined, false, 2]);
  expect(checkpoints[1]).toEqual({
    id: 'n',
    type: 'sampler',
    path: 'tinker://r/sampler_weights/n',
    time: '2026-01-01T00:00:00Z',
    sizeBytes: 5,
    isPublic: true,
    expiresAt: undefined,
    userMetadata: { a: 1 },
  });
  expect(() => readCheckpointList({ detail: 'no' })).toThrow(/cannot be read/);
});
