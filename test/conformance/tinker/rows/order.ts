import assert from 'node:assert/strict';

import { TinkerConflictError } from '@lachesis/tinker';

import { BATCH, makeDatums } from '../data/make-datums.ts';
import type { Subject } from '../servers/subject.ts';
import { expectError, expectSameRows, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

const ADAM = { learning_rate: 0, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };

/** A number far from all that the client uses. */
const FAR = 700_000;

const step = ({ training }: Subject, seqId: number, adam = ADAM): Record<string, unknown> => ({
  model_id: training.model.modelId,
  seq_id: seqId,
  adam_params: adam,
});

/** The number the client sent last. */
const lastSeqId = ({ wire }: Subject): number => Number(wire.last('optim_step')?.json?.['seq_id']);

export const sequenceOrder: RowChecks = {
  async skyrl(subject) {
    const { ask, training } = subject;
    for (const seqId of [FAR + 2, FAR]) {
      const { body } = await ask('POST', 'optim_step', step(subject, seqId));
      expectStatus(await ask('POST', 'retrieve_future', { request_id: body['request_id'] }), 200);
    }
    await training.optimStep({ learningRate: 0 });
  },
  async tuft(subject) {
    const { ask, training } = subject;
    const { body } = await ask('POST', 'optim_step', step(subject, FAR));
    expectStatus(await ask('POST', 'retrieve_future', { request_id: body['request_id'] }), 409);
    // Somebody else uses the number that our client would use next.
    await training.optimStep({ learningRate: 0 });
    const stolen = await ask('POST', 'optim_step', step(subject, lastSeqId(subject) + 1));
    expectStatus(await ask('POST', 'retrieve_future', { request_id: stolen.body['request_id'] }), 200);
    const error = await expectError(training.optimStep({ learningRate: 0 }), TinkerConflictError);
    assert.deepEqual([error.conflict, error.retryable, error.tookEffect], ['sequence', true, false]);
    // It has heard which number is wanted.
    await training.optimStep({ learningRate: 0 });
  },
};

export const sequenceRepeat: RowChecks = {
  async skyrl(subject) {
    const { ask, training, wire } = subject;
    const first = await ask('POST', 'optim_step', step(subject, FAR + 10));
    const second = await ask('POST', 'optim_step', step(subject, FAR + 10));
    assert.equal(second.body['request_id'], first.body['request_id']);
    expectStatus(await ask('POST', 'optim_step', step(subject, FAR + 10, { ...ADAM, beta1: 0.5 })), 409);

    const datums = makeDatums({ count: BATCH, seed: 6 });
    const { logprobs } = await training.forward(datums);
    const before = wire.count('forward_backward');
    wire.tamper({ path: 'forward_backward', loseReply: true });
    expectSameRows((await training.forward(datums)).logprobs, logprobs, 1e-6);
    assert.equal(wire.count('forward_backward') - before, 2);
  },
  async tuft(subject) {
    const { ask, training, wire } = subject;
    await training.optimStep({ learningRate: 0 });
    const repeated = await ask('POST', 'optim_step', step(subject, lastSeqId(subject)));
    expectStatus(await ask('POST', 'retrieve_future', { request_id: repeated.body['request_id'] }), 409);

    wire.tamper({ path: 'forward_backward', loseReply: true });
    const pass = training.forwardBackward(makeDatums({ count: BATCH, seed: 6 }), { loss: 'cross_entropy' });
    const error = await expectError(pass, TinkerConflictError);
    assert.equal(error.tookEffect, true);
    assert.equal(error.retryable, false);
    // Its number is used up, and the client knows.
    await training.optimStep({ learningRate: 0 });
  },
};
