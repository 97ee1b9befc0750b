import assert from 'node:assert/strict';

import { TinkerError, TinkerTransportError } from '@lachesis/tinker';

import type { Subject } from '../servers/subject.ts';
import { RANK } from '../servers/subject.ts';
import { expectDroppedKnob, expectError, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

/** Above what either server of the suite allows. */
const TOO_LARGE = 4096;

async function meetRankLimit({ server, service }: Subject): Promise<TinkerError> {
  const { baseModel } = server;
  return expectError(service.createTraining({ baseModel, rank: TOO_LARGE }), TinkerError, /rank/i);
}

export const lora: RowChecks = {
  async skyrl(subject) {
    const { server, service, wire } = subject;
    await meetRankLimit(subject);
    const training = await service.createTraining({
      baseModel: server.baseModel,
      rank: RANK,
      seed: 1,
      trainMlp: false,
    });
    assert.deepEqual(wire.last('create_model')?.json?.['lora_config'], { rank: RANK, seed: 1, train_mlp: false });
    expectDroppedKnob(subject, 'create_model', 'train_mlp');
    await training.close();
    await expectError(service.createTraining({ baseModel: 'Qwen/Qwen3-8B', rank: RANK }), TinkerError, /is not among/);
  },
  async tuft(subject) {
    const { server, service, wire, events } = subject;
    const { baseModel } = server;
    // Its CPU backend takes any rank; the bound is in those for GPUs.
    await (await service.createTraining({ baseModel, rank: TOO_LARGE })).close();
    const training = await service.createTraining({ baseModel, rank: RANK, seed: 1, trainMlp: false });
    assert.deepEqual(wire.last('create_model')?.json?.['lora_config'], { rank: RANK, seed: 1, train_mlp: false });
    assert.ok(!events.some((event) => event.type === 'knob-dropped' && event.knob === 'train_mlp'));
    await training.close();
    await expectError(service.createTraining({ baseModel: 'unknown', rank: RANK }), TinkerError);
  },
};

/** The reply to create_model is lost: a second try would be a second model, so the caller is told instead. */
async function loseCreatedModel({ server, service, wire, ask }: Subject): Promise<void> {
  const body = {
    session_id: service.sessionId,
    model_seq_id: 900,
    base_model: server.baseModel,
    lora_config: { rank: RANK },
  };
  const made: string[] = [];
  const create = async (): Promise<void> => {
    const { body: submitted } = await ask('POST', 'create_model', body);
    const { body: result } = await ask('POST', 'retrieve_future', { request_id: submitted['request_id'] });
    made.push(String(result['model_id'] ?? submitted['model_id']));
  };
  await create();
  await create();
  assert.notEqual(made[0], made[1]);

  const before = wire.count('create_model');
  let lost: Record<string, unknown> = {};
  wire.tamper({ path: 'create_model', loseReply: true, onLost: (reply) => (lost = reply) });
  const error = await expectError(
    service.createTraining({ baseModel: server.baseModel, rank: RANK }),
    TinkerTransportError,
  );
  assert.equal(error.outcomeUnknown, true);
  assert.equal(wire.count('create_model') - before, 1);
  made.push(String(lost['model_id']));
  for (const modelId of made) expectStatus(await ask('POST', 'unload_model', { model_id: modelId }), 200, 202);
}

export const createModel: RowChecks = { skyrl: loseCreatedModel, tuft: loseCreatedModel };
