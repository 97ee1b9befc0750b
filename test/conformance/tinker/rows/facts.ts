import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { createTinkerClient } from '@lachesis/tinker';

import { RANK } from '../servers/subject.ts';
import type { Subject } from '../servers/subject.ts';
import { countEvents, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

export const capabilities: RowChecks = {
  async skyrl({ ask, server, service, training }) {
    const { body } = await ask('GET', 'get_server_capabilities');
    assert.deepEqual(body['supported_models'], [{ model_name: server.baseModel }]);
    assert.deepEqual(service.models, [{ name: server.baseModel, maxLength: undefined }]);
    // Read from the model's folder, because the server tells neither.
    assert.deepEqual([training.model.vocabularySize, training.model.maxLength], [2048, 4096]);
  },
  async tuft({ ask, server, service, training }) {
    const { body } = await ask('GET', 'get_server_capabilities');
    const [model] = body['supported_models'] as Record<string, unknown>[];
    assert.deepEqual(model?.['capabilities'], ['training', 'sampling']);
    assert.deepEqual(service.models, [{ name: server.baseModel, maxLength: 2048 }]);
    assert.equal(training.model.maxLength, 2048);
  },
};

const askForInfo = ({ ask, training }: Subject): ReturnType<Subject['ask']> =>
  ask('POST', 'get_info', { model_id: training.model.modelId });

export const getInfo: RowChecks = {
  async skyrl(subject) {
    const { body } = await askForInfo(subject);
    const data = body['model_data'] as { model_name?: string; lora_config?: { rank?: number } };
    assert.equal(data.model_name, subject.server.baseModel);
    assert.equal(data.lora_config?.rank, RANK);
    assert.ok(!('lora_rank' in body));
  },
  async tuft(subject) {
    const { body } = await askForInfo(subject);
    assert.equal(body['lora_rank'], RANK);
    assert.equal((body['model_data'] as { model_name?: string }).model_name, subject.server.baseModel);
  },
};

/** SkyRL looks every 30 s for sessions that were silent for 300 s. */
const EXPIRY_MS = 340_000;

/** Whether a model is still there after its client fell silent. */
async function fallSilent({ server, ask }: Subject): Promise<boolean> {
  const client = createTinkerClient({
    baseUrl: server.url,
    apiKey: server.apiKey,
    env: {},
    heartbeatMs: false,
  });
  const service = await client.connect();
  const { model } = await service.createTraining({ baseModel: server.baseModel, rank: RANK });
  // The server counts from the first beat.
  expectStatus(await ask('POST', 'session_heartbeat', { session_id: service.sessionId }), 200);
  await sleep(EXPIRY_MS);
  const { body } = await ask('POST', 'get_info', { model_id: model.modelId });
  return body['status'] !== 'unloaded' && body['status'] !== 'unloading';
}

async function keepAlive({ ask, service, events }: Subject): Promise<void> {
  expectStatus(await ask('POST', 'session_heartbeat', { session_id: service.sessionId }), 200);
  assert.ok(!events.some((event) => event.type === 'session-ended'));
}

export const sessionExpiry: RowChecks = {
  async skyrl(subject) {
    await keepAlive(subject);
    expectStatus(await subject.ask('POST', 'session_heartbeat', { session_id: 'session_unknown' }), 404);
    assert.equal(countEvents(subject, 'heartbeat-missed'), 0);
    if (subject.full) assert.equal(await fallSilent(subject), false);
  },
  async tuft(subject) {
    await keepAlive(subject);
    expectStatus(await subject.ask('POST', 'session_heartbeat', { session_id: 'unknown' }), 404, 500);
    assert.equal(countEvents(subject, 'heartbeat-missed'), 0);
    if (subject.full) assert.equal(await fallSilent(subject), true);
  },
};
