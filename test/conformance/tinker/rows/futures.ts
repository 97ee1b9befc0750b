import assert from 'node:assert/strict';

import { TinkerJobFailedError, TinkerTimeoutError, createTinkerClient } from '@lachesis/tinker';
import type { JournalFile } from '@lachesis/tinker';

import { BATCH, makeDatums } from '../data/make-datums.ts';
import { RANK } from '../servers/subject.ts';
import type { Subject } from '../servers/subject.ts';
import { expectError, expectSameRows, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

export const jobFailure: RowChecks = {
  async skyrl({ open }) {
    await using naive = await open({ client: { profile: { losses: undefined } } });
    const before = naive.wire.count('retrieve_future');
    const pass = naive.training.forward(makeDatums({ count: BATCH, seed: 6 }), { loss: 'gspo' });
    const error = await expectError(pass, TinkerJobFailedError, /not supported/);
    assert.deepEqual([error.status, error.category, error.retryable], [400, 'user', false]);
    assert.equal(naive.wire.count('retrieve_future') - before, 1, 'a failed job was asked for again');
    await naive.training.forward(makeDatums({ count: BATCH, seed: 6 }));
  },
  async tuft({ server, service, training, wire }) {
    const { path } = await training.saveState('of-another-rank');
    const other = await service.createTraining({ baseModel: server.baseModel, rank: RANK / 2 });
    const before = wire.count('retrieve_future');
    const error = await expectError(other.loadState(path, { optimizer: true }), TinkerJobFailedError, /rank/);
    assert.deepEqual([error.status, error.category, error.retryable], [400, 'user', false]);
    assert.equal(wire.count('retrieve_future') - before, 1, 'a failed job was asked for again');
    // The same with a checkpoint that is not there: 404, which is not the 404 of a future that is not there.
    const missing = path.replace('of-another-rank', 'missing');
    await expectError(other.loadState(missing, { optimizer: true, timeoutMs: 2_000 }), TinkerJobFailedError);
    await other.close();
  },
};

/** A poll that breaks off is asked again, and a result can be read more than once. */
async function readAgain({ ask, training, wire }: Subject): Promise<void> {
  const datums = makeDatums({ count: BATCH, seed: 6 });
  const handle = training.forward(datums);
  const { logprobs } = await handle;
  const accept = { accept: 'application/x-protobuf' };
  for (let time = 0; time < 2; time += 1) {
    expectStatus(await ask('POST', 'retrieve_future', { request_id: handle.requestId }, accept), 200);
  }
  wire.tamper({ path: 'retrieve_future', loseReply: true });
  expectSameRows((await training.forward(datums)).logprobs, logprobs, 1e-6);
}

export const pending: RowChecks = { skyrl: readAgain, tuft: readAgain };

/** A journal of a process that died while it waited for a job which the server does not have. */
function journalOf({ server, service }: Subject, requestId: string): JournalFile {
  const lines = [
    { kind: 'session', sessionId: service.sessionId, baseUrl: server.url },
    { kind: 'model', sessionId: service.sessionId, modelId: 'gone', baseModel: server.baseModel, rank: 8 },
    { kind: 'submitted', modelId: 'gone', seqId: 1, requestId, operation: 'optim_step', binary: false },
  ];
  let text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return {
    read: () => text,
    append: (more) => {
      text += more;
    },
  };
}

async function waitForUnknown(subject: Subject, requestId: string): Promise<void> {
  const { server } = subject;
  const client = createTinkerClient({
    baseUrl: server.url,
    apiKey: server.apiKey,
    env: {},
    journalFile: journalOf(subject, requestId),
    heartbeatMs: false,
  });
  const service = await client.connect();
  const { jobs } = await service.reattach();
  assert.equal(jobs.length, 1);
  const error = await expectError(jobs[0]!.result({ timeoutMs: 1_200 }), TinkerTimeoutError);
  assert.equal(error.lastPollStatus, 404);
  await service.close();
}

export const unknownFuture: RowChecks = {
  async skyrl(subject) {
    expectStatus(await subject.ask('POST', 'retrieve_future', { request_id: '99999999' }), 404);
    expectStatus(await subject.ask('POST', 'retrieve_future', { request_id: 'abc' }), 500);
    await waitForUnknown(subject, '99999999');
  },
  async tuft(subject) {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expectStatus(await subject.ask('POST', 'retrieve_future', { request_id: unknown }), 404);
    expectStatus(await subject.ask('POST', 'retrieve_future', { request_id: 'abc' }), 404);
    await waitForUnknown(subject, unknown);
  },
};
