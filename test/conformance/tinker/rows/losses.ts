import assert from 'node:assert/strict';

import { TinkerError, TinkerValidationError } from '@lachesis/tinker';
import type { Datum } from '@lachesis/tinker';
import type { LossConfig } from '../../../../packages/tinker/src/codec/datum.ts';

import { BATCH, makeDatums, readFloats, toRollouts } from '../data/make-datums.ts';
import type { Subject } from '../servers/subject.ts';
import { expectDroppedKnob, expectError, expectSameRows } from './expect.ts';
import type { RowChecks } from './row.ts';

async function makeRollouts({ training }: Subject): Promise<Datum[]> {
  const datums = makeDatums({ count: BATCH, seed: 4 });
  const { logprobs } = await training.forward(datums);
  return toRollouts(datums, logprobs, 5);
}

const CLIP = { clip_low_threshold: 0.8, clip_high_threshold: 1.2 };
/** Inputs that no server but TuFT asks for. */
const TRINITY_CONFIG = { num_total_datums: BATCH, clip_range: 0.2, clip_ratio_c: 3, kl_coef: 0 };

async function passWith(subject: Subject, losses: Readonly<Record<string, LossConfig | undefined>>): Promise<void> {
  const rollouts = await makeRollouts(subject);
  for (const [loss, config] of Object.entries(losses)) {
    const { logprobs } = await subject.training.forward(rollouts, { loss, config });
    assert.equal(logprobs.length, BATCH, loss);
  }
  assert.deepEqual(Object.keys(losses), subject.service.profile.losses);
}

/** A loss that the server lacks is refused here, with the names of those it has, and nothing is sent. */
async function refuse({ training, wire }: Subject, loss: string): Promise<void> {
  const before = wire.count('forward_backward');
  const datums = makeDatums({ count: BATCH, seed: 4 });
  await expectError(training.forwardBackward(datums, { loss }), TinkerValidationError, /importance_sampling/);
  assert.equal(wire.count('forward_backward'), before);
}

/** What the server itself says to a loss it lacks, through a client that does not know better. */
async function askForLoss(subject: Subject, loss: string, status: number): Promise<void> {
  await using naive = await subject.open({ client: { profile: { losses: undefined } } });
  const rollouts = await makeRollouts(naive);
  const error = await expectError(naive.training.forward(rollouts, { loss }), TinkerError);
  assert.equal(error.status, status);
}

export const losses: RowChecks = {
  async skyrl(subject) {
    await passWith(subject, { cross_entropy: undefined, importance_sampling: undefined, ppo: CLIP, cispo: CLIP });
    await refuse(subject, 'gspo');
    await askForLoss(subject, 'dro', 422);
  },
  async tuft(subject) {
    await passWith(subject, {
      cross_entropy: undefined,
      importance_sampling: undefined,
      ppo: CLIP,
      cispo: CLIP,
      dro: { beta: 0.05 },
      trinity_ppo: TRINITY_CONFIG,
    });
    await refuse(subject, 'gspo');
    await askForLoss(subject, 'gspo', 422);
  },
};

/** Per-token losses as the server returned them, against the formula on its own log probabilities. */
function checkElementwise(
  loss: string,
  datums: readonly Datum[],
  pass: {
    outputs: readonly Readonly<Record<string, { data: BigInt64Array | Float32Array }>>[];
    logprobs: readonly Float32Array[];
  },
): void {
  const wanted = datums.map((datum, index) =>
    pass.logprobs[index]!.map((logprob, token) => {
      const weight = readFloats(datum, 'weights')[token]!;
      if (loss === 'cross_entropy') return -weight * logprob;
      const ratio = Math.exp(logprob - readFloats(datum, 'logprobs')[token]!);
      return -weight * ratio * readFloats(datum, 'advantages')[token]!;
    }),
  );
  const told = pass.outputs.map((output) => output['elementwise_loss']?.data as Float32Array);
  expectSameRows(told, wanted, 1e-4);
}

export const mixedLosses: RowChecks = {
  async skyrl(subject) {
    const { training } = subject;
    const rollouts = await makeRollouts(subject);
    const first = training.forwardBackward(rollouts, { loss: 'cross_entropy' });
    const second = training.forwardBackward(rollouts, { loss: 'importance_sampling' });
    const step = training.optimStep({ learningRate: 0 });
    checkElementwise('cross_entropy', rollouts, await first);
    checkElementwise('importance_sampling', rollouts, await second);
    await step;
  },
  async tuft(subject) {
    const { training } = subject;
    const rollouts = await makeRollouts(subject);
    const first = training.forwardBackward(rollouts, { loss: 'cross_entropy' });
    const second = training.forwardBackward(rollouts, { loss: 'importance_sampling' });
    const step = training.optimStep({ learningRate: 0 });
    assert.equal((await first).outputs.length, BATCH);
    assert.equal((await second).outputs.length, BATCH);
    await step;
  },
};

export const adamParams: RowChecks = {
  async skyrl(subject) {
    const { training } = subject;
    const datums = makeDatums({ count: BATCH, seed: 4 });
    const before = await training.forward(datums);
    // It asks its table for passes and then for steps; both coming in between, it would make the step without the pass.
    await training.forwardBackward(datums, { loss: 'cross_entropy' });
    // A divisor this large leaves nothing of the step, if the server takes it.
    const step = await training.optimStep({ learningRate: 1e-2, eps: 1e12, gradClipNorm: 1e-9 });
    const after = await training.forward(datums);
    expectSameRows(after.logprobs, before.logprobs, 1e-5);
    assert.ok(step.metrics['skyrl.ai/grad_norm']! > 1e-3);
    expectDroppedKnob(subject, 'optim_step', 'grad_clip_norm');
  },
  async tuft(subject) {
    const { training, wire, events } = subject;
    await training.optimStep({ learningRate: 0, beta1: 0.8, beta2: 0.9, eps: 1e-8, weightDecay: 0.1, gradClipNorm: 1 });
    assert.deepEqual(wire.last('optim_step')?.json?.['adam_params'], {
      learning_rate: 0,
      beta1: 0.8,
      beta2: 0.9,
      eps: 1e-8,
      weight_decay: 0.1,
      grad_clip_norm: 1,
    });
    assert.ok(!events.some((event) => event.type === 'knob-dropped' && event.operation === 'optim_step'));
  },
};
