import assert from 'node:assert/strict';

import { TinkerValidationError } from '@lachesis/tinker';
import type { Datum } from '@lachesis/tinker';
import type { Tensor } from '../../../../packages/tinker/src/codec/tensor.ts';

import { BATCH, makeDatums, readFloats } from '../data/make-datums.ts';
import type { Subject } from '../servers/subject.ts';
import { expectError, expectSameRows, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

/** The client of this case is told that the server wants small chunks and compressed bodies. */
const wantsSmallChunks = (path: string, json: Record<string, unknown>): Record<string, unknown> =>
  path === 'client/config' ? { ...json, fwdbwd_max_chunk_len: BATCH, proto_compress_fwdbwd: true } : json;

async function meetTrainingBody({ ask, open, training }: Subject): Promise<void> {
  const json = await ask('POST', 'forward_backward', { model_id: training.model.modelId, seq_id: 1 });
  expectStatus(json, 415);
  const datums = makeDatums({ count: BATCH, seed: 2 });
  await training.forward(datums);
  await using squeezed = await open({ prepare: (wire) => (wire.changeReply = wantsSmallChunks) });
  const { logprobs } = await squeezed.training.forward(datums);
  assert.equal(logprobs.length, BATCH);
}

export const trainingBody: RowChecks = { skyrl: meetTrainingBody, tuft: meetTrainingBody };

async function meetForward({ ask, training, wire }: Subject): Promise<void> {
  expectStatus(await ask('POST', 'forward', { model_id: training.model.modelId }), 404);
  const { logprobs } = await training.forward(makeDatums({ count: BATCH, seed: 2 }));
  assert.ok(logprobs.every((row) => row.every(Number.isFinite)));
  assert.equal(wire.count('forward'), 0);
}

export const forwardEndpoint: RowChecks = { skyrl: meetForward, tuft: meetForward };

const ACCEPTS_JSON = { accept: 'application/json' };

export const resultEncoding: RowChecks = {
  async skyrl({ ask, training }) {
    const handle = training.forward(makeDatums({ count: BATCH, seed: 2 }));
    await handle;
    const request = { request_id: handle.requestId };
    const answer = await ask('POST', 'retrieve_future', request, ACCEPTS_JSON);
    assert.equal(answer.headers.get('content-type'), 'application/x-protobuf');
  },
  async tuft({ ask, training, wire }) {
    const datums = makeDatums({ count: BATCH, seed: 2 });
    const handle = training.forward(datums);
    const { logprobs } = await handle;
    const request = { request_id: handle.requestId };
    const accepting = { accept: 'application/x-protobuf' };
    const packed = await ask('POST', 'retrieve_future', request, accepting);
    assert.equal(packed.headers.get('content-type'), 'application/x-protobuf');
    const plain = await ask('POST', 'retrieve_future', request, ACCEPTS_JSON);
    assert.equal(plain.headers.get('content-type'), 'application/json');
    wire.tamper({ path: 'retrieve_future', headers: ACCEPTS_JSON });
    expectSameRows((await training.forward(datums)).logprobs, logprobs, 0);
  },
};

/** The targets of a datum with a second, unused column. */
function withColumns(datum: Datum, isSparse: boolean): Datum {
  const targets = datum.inputs['target_tokens'] as Int32Array;
  const rows = targets.length;
  const spread = <T extends Float32Array | Int32Array>(from: T, to: T): T => {
    from.forEach((value, index) => (to[2 * index] = value));
    return to;
  };
  const weights = readFloats(datum, 'weights');
  const sparse = {
    rowOffsets: BigInt64Array.from({ length: rows + 1 }, (_, index) => BigInt(index)),
    columns: new BigInt64Array(rows),
  };
  const tensor = (data: Float32Array | Int32Array, wide: Float32Array | Int32Array): Tensor =>
    isSparse ? { data, shape: [rows, 2], sparse } : { data: spread(data, wide), shape: [rows, 2] };
  return {
    ...datum,
    inputs: {
      target_tokens: tensor(targets, new Int32Array(2 * rows)),
      weights: tensor(weights, new Float32Array(2 * rows)),
    },
  };
}

export const tensorShapes: RowChecks = {
  async skyrl({ training, wire }) {
    const datums = makeDatums({ count: BATCH, seed: 2 });
    const before = wire.count('forward_backward');
    for (const isSparse of [true, false]) {
      const wide = datums.map((datum) => withColumns(datum, isSparse));
      await expectError(training.forward(wide), TinkerValidationError);
    }
    // The server would take the matrix for a longer row, so it does not get there.
    assert.equal(wire.count('forward_backward'), before);
    await training.forward(datums);
  },
  async tuft({ training }) {
    const datums = makeDatums({ count: BATCH, seed: 2 });
    for (const isSparse of [true, false]) {
      const { outputs } = await training.forward(datums.map((datum) => withColumns(datum, isSparse)));
      assert.equal(outputs.length, BATCH);
    }
  },
};

async function meetExtraInputs({ training }: Subject): Promise<void> {
  const datums = makeDatums({ count: BATCH, seed: 2 });
  const plain = await training.forward(datums);
  const more = datums.map((datum) => ({
    ...datum,
    inputs: { ...datum.inputs, something_else: new Float32Array(datum.tokens.length) },
  }));
  expectSameRows((await training.forward(more)).logprobs, plain.logprobs, 0);
}

export const extraInputs: RowChecks = { skyrl: meetExtraInputs, tuft: meetExtraInputs };

async function passInChunks({ open, server }: Subject): Promise<void> {
  await using subject = await open({ prepare: (wire) => (wire.changeReply = wantsSmallChunks) });
  const datums = makeDatums({ count: 2 * BATCH, seed: 3 });
  const before = subject.wire.count('forward_backward');
  const { logprobs, metrics, computedMetrics } = await subject.training.forward(datums);
  assert.equal(subject.wire.count('forward_backward') - before, 2);
  const halves = [];
  for (const half of [datums.slice(0, BATCH), datums.slice(BATCH)]) halves.push(await subject.training.forward(half));
  expectSameRows(
    logprobs,
    halves.flatMap((half) => half.logprobs),
    0,
  );
  const sum = halves.reduce((total, half) => total + half.metrics['loss:sum']!, 0);
  assert.ok(Math.abs(metrics['loss:sum']! - sum) <= 1e-6 * Math.abs(sum), `${metrics['loss:sum']} and ${sum}`);
  assert.deepEqual(computedMetrics, server.name === 'skyrl' ? ['loss:sum'] : []);
}

export const chunkMetrics: RowChecks = { skyrl: passInChunks, tuft: passInChunks };

export const metricNames: RowChecks = {
  async skyrl({ training }) {
    const datums = makeDatums({ count: BATCH, seed: 2 });
    const { metrics, logprobs } = await training.forward(datums);
    assert.deepEqual(Object.keys(metrics), ['loss:sum']);
    const sum = logprobs.reduce(
      (total, row, index) =>
        row.reduce((so, value, token) => so - value * readFloats(datums[index]!, 'weights')[token]!, total),
      0,
    );
    assert.ok(Math.abs(metrics['loss:sum']! - sum) < 1e-3);
    const step = await training.optimStep({ learningRate: 0 });
    assert.deepEqual(Object.keys(step.metrics).toSorted(), ['skyrl.ai/grad_norm', 'skyrl.ai/learning_rate']);
  },
  async tuft({ training }) {
    const { metrics, computedMetrics } = await training.forward(makeDatums({ count: BATCH, seed: 2 }));
    assert.ok('loss:sum' in metrics);
    assert.deepEqual(computedMetrics, []);
  },
};
