import assert from 'node:assert/strict';

import { TinkerAuthError, TinkerNotFoundError, createTinkerClient } from '@lachesis/tinker';

import { BATCH, makeDatums } from '../data/make-datums.ts';
import type { Subject } from '../servers/subject.ts';
import { expectDroppedKnob, expectError, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

const SESSION = { tags: [], user_metadata: {}, sdk_version: '0.25.0' };

export const apiKey: RowChecks = {
  async skyrl({ ask, wire }) {
    expectStatus(await ask('POST', 'create_session', SESSION), 200);
    expectStatus(await ask('POST', 'create_session', SESSION, { 'x-api-key': 'anything' }), 200);
    // The client of all these cases was given no key.
    assert.ok(wire.count('create_session') > 0);
  },
  async tuft({ ask, server }) {
    expectStatus(await ask('POST', 'create_session', SESSION, { 'x-api-key': '' }), 401);
    expectStatus(await ask('POST', 'create_session', SESSION, { 'x-api-key': 'tml-unknown' }), 403);
    expectStatus(await ask('GET', 'get_server_capabilities', undefined, { 'x-api-key': '' }), 200);
    for (const wrongKey of [undefined, 'tml-unknown']) {
      const client = createTinkerClient({ baseUrl: server.url, apiKey: wrongKey, env: {} });
      const error = await expectError(client.connect({ timeoutMs: 10_000 }), TinkerAuthError);
      assert.equal(error.retryable, false);
      assert.ok(!error.message.includes('tml-unknown'));
    }
  },
};

export const unknownFields: RowChecks = {
  async skyrl({ ask }) {
    expectStatus(await ask('POST', 'create_session', { ...SESSION, display_name: 'n', whatever: 1 }), 200);
  },
  async tuft(subject) {
    const { ask, training, wire } = subject;
    const refused = await ask('POST', 'create_session', { ...SESSION, display_name: 'n' });
    expectStatus(refused, 422);
    assert.match(JSON.stringify(refused.body), /extra_forbidden/);
    // A setting that this server refuses is left out and told.
    await training.saveState('unknown-fields', { userMetadata: { note: 'n' } });
    assert.ok(!('user_metadata' in (wire.last('save_weights')?.json ?? {})));
    expectDroppedKnob(subject, 'save_weights', 'user_metadata');
  },
};

export const clientConfig: RowChecks = {
  async skyrl({ ask, service }) {
    const { body } = await ask('POST', 'client/config', { sdk_version: '0.25.0' });
    assert.deepEqual(body, { pjwt_auth_enabled: false });
    assert.equal(service.profile.name, 'skyrl');
  },
  async tuft({ ask, service }) {
    const { body } = await ask('POST', 'client/config', { sdk_version: '0.25.0' });
    assert.equal(body['parallel_fwdbwd_chunks'], false);
    assert.ok(Object.keys(body).length > 3);
    assert.equal(service.profile.name, 'tuft');
  },
};

const ABSENT = [
  ['POST', 'client/dynamic_config'],
  ['POST', 'retrieve_futures'],
  ['POST', 'cancel_future'],
  ['POST', 'join_sampling_session'],
  ['POST', 'create_custom_loss'],
  ['POST', 'copy_weights'],
  ['POST', 'save_weights_external'],
  ['POST', 'sessions/any/finish'],
  ['PUT', 'training_runs/any/checkpoints/weights/any/ttl'],
] as const;

async function meetAbsentEndpoints({ ask, training, wire }: Subject): Promise<void> {
  for (const [method, path] of ABSENT) expectStatus(await ask(method, path, {}), 404, 405);
  const before = wire.count('save_weights_external');
  await expectError(training.saveExternal('absent'), TinkerNotFoundError);
  assert.equal(wire.count('save_weights_external') - before, 1, 'it was asked for more than once');
  // The refused call has used up no number: the next one is taken.
  await training.forward(makeDatums({ count: BATCH, seed: 1 }));
}

export const absentEndpoints: RowChecks = { skyrl: meetAbsentEndpoints, tuft: meetAbsentEndpoints };
