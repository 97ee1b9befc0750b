import assert from 'node:assert/strict';

import { TinkerError, TinkerValidationError } from '@lachesis/tinker';
import type { SamplingClient } from '@lachesis/tinker';

import type { Subject } from '../servers/subject.ts';
import { countEvents, expectError, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

/** One length and one number of tokens: the engine compiles each combination anew. */
const PROMPT = Int32Array.of(11, 12, 13, 14, 15, 16, 17, 18);
const MAX_TOKENS = 4;
const EOS = [2];

const promptJson = { chunks: [{ type: 'encoded_text', tokens: [...PROMPT] }] };

/** A sampler of the base model, closed after use. */
async function withSampler(
  { service, server }: Subject,
  use: (sampler: SamplingClient) => Promise<void>,
): Promise<void> {
  const sampler = await service.createSampler({ baseModel: server.baseModel, eosTokens: EOS });
  try {
    await use(sampler);
  } finally {
    await sampler.close();
  }
}

/** A sampling session made without our client. */
async function openSession({ ask, service, server }: Subject): Promise<string> {
  const body = { session_id: service.sessionId, sampling_session_seq_id: 900, base_model: server.baseModel };
  const answer = await ask('POST', 'create_sampling_session', body);
  expectStatus(answer, 200, 201);
  return String(answer.body['sampling_session_id']);
}

async function submit(
  subject: Subject,
  fields: Record<string, unknown>,
  params: Record<string, unknown> = { max_tokens: MAX_TOKENS },
): ReturnType<Subject['ask']> {
  return subject.ask('POST', 'asample', { num_samples: 1, prompt: promptJson, sampling_params: params, ...fields });
}

async function sampleUnnamed({ service, training }: Subject): Promise<void> {
  const sampler = await service.createSampler({ training, eosTokens: EOS });
  const { sequences } = await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS, seed: 1 } });
  assert.ok(sequences[0]!.tokens.length > 0);
  assert.equal(sequences[0]!.logprobs.length, sequences[0]!.tokens.length);
  await sampler.close();
}

export const unnamedSampler: RowChecks = { skyrl: sampleUnnamed, tuft: sampleUnnamed };

export const sampleWithoutSession: RowChecks = {
  async skyrl(subject) {
    expectStatus(await submit(subject, { base_model: subject.server.baseModel }), 200);
    await withSampler(subject, async (sampler) => {
      await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS } });
    });
  },
  async tuft(subject) {
    const { body } = await submit(subject, { base_model: subject.server.baseModel });
    expectStatus(await subject.ask('POST', 'retrieve_future', { request_id: body['request_id'] }), 404);
    await withSampler(subject, async (sampler) => {
      await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS } });
    });
  },
};

async function nameSequences(subject: Subject): Promise<void> {
  const { body } = await submit(subject, { sampling_session_id: await openSession(subject), seq_id: 0 });
  assert.ok(!('sample_sequence_ids' in body) || body['sample_sequence_ids'] === null);
  await withSampler(subject, async (sampler) => {
    const { sequences } = await sampler.sample({ prompt: PROMPT, samples: 2, params: { maxTokens: MAX_TOKENS } });
    assert.equal(new Set(sequences.map(({ sequenceId }) => sequenceId)).size, 2);
    assert.ok(sequences.every(({ isAuthoritative }) => !isAuthoritative));
  });
}

export const sequenceIds: RowChecks = { skyrl: nameSequences, tuft: nameSequences };

async function sampleTwice(subject: Subject): Promise<void> {
  const session = { sampling_session_id: await openSession(subject), seq_id: 7 };
  const first = await submit(subject, session);
  const second = await submit(subject, session);
  assert.notEqual(second.body['request_id'], first.body['request_id']);
  for (const { body } of [first, second]) {
    const accept = { accept: 'application/x-protobuf' };
    expectStatus(await subject.ask('POST', 'retrieve_future', { request_id: body['request_id'] }, accept), 200);
  }
}

export const sampleRepeat: RowChecks = { skyrl: sampleTwice, tuft: sampleTwice };

export const stop: RowChecks = {
  async skyrl(subject) {
    const session = { sampling_session_id: await openSession(subject), seq_id: 0 };
    expectStatus(await submit(subject, session, { max_tokens: MAX_TOKENS, stop: 'end' }), 422);
    await withSampler(subject, async (sampler) => {
      await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS, stop: 'end' } });
      // Without a stop the end of sequence is sent, because the server adds none.
      await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS } });
      const params = subject.wire.last('asample')?.json?.['sampling_params'] as { stop?: unknown };
      assert.deepEqual(params.stop, EOS);
      await refuseEmptyStop(sampler);
    });
  },
  async tuft(subject) {
    await withSampler(subject, async (sampler) => {
      await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS, stop: 'end' } });
      await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS } });
      const params = subject.wire.last('asample')?.json?.['sampling_params'] as { stop?: unknown };
      assert.equal(params.stop, undefined);
      await refuseEmptyStop(sampler);
    });
  },
};

async function refuseEmptyStop(sampler: SamplingClient): Promise<void> {
  const sample = sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS, stop: [] } });
  await expectError(sample, TinkerValidationError, /empty list/);
}

async function refuseWithoutLimit(subject: Subject): Promise<void> {
  const before = subject.wire.count('asample');
  await withSampler(subject, async (sampler) => {
    await expectError(sampler.sample({ prompt: PROMPT, params: {} }), TinkerValidationError, /maxTokens/);
  });
  assert.equal(subject.wire.count('asample'), before);
}

export const maxTokens: RowChecks = {
  async skyrl(subject) {
    const session = { sampling_session_id: await openSession(subject), seq_id: 0 };
    expectStatus(await submit(subject, session, {}), 400);
    await refuseWithoutLimit(subject);
  },
  async tuft(subject) {
    const session = { sampling_session_id: await openSession(subject), seq_id: 0 };
    const { body } = await submit(subject, session, {});
    const { body: result } = await subject.ask('POST', 'retrieve_future', { request_id: body['request_id'] });
    const [sequence] = result['sequences'] as { tokens: number[] }[];
    assert.ok(sequence!.tokens.length > 0 && sequence!.tokens.length <= 16);
    await refuseWithoutLimit(subject);
  },
};

const MANY = 24;

async function sampleMany(subject: Subject): Promise<void> {
  await withSampler(subject, async (sampler) => {
    const replies = await Promise.all(
      Array.from({ length: MANY }, () => sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS } })),
    );
    assert.equal(replies.length, MANY);
  });
  assert.equal(countEvents(subject, 'sampling-limited'), 0);
}

export const backpressure: RowChecks = { skyrl: sampleMany, tuft: sampleMany };

export const promptLogprobs: RowChecks = {
  async skyrl(subject) {
    await withSampler(subject, async (sampler) => {
      const logprobs = await sampler.computeLogprobs(PROMPT);
      // The server sends one less than there are tokens.
      assert.equal(logprobs.length, PROMPT.length);
      assert.ok(Number.isNaN(logprobs[0]) && logprobs.subarray(1).every((value) => value < 0));
      const topk = sampler.sample({
        prompt: PROMPT,
        params: { maxTokens: 1 },
        promptLogprobs: true,
        topkPromptLogprobs: 3,
      });
      await expectError(topk, TinkerError);
    });
  },
  async tuft(subject) {
    await withSampler(subject, async (sampler) => {
      assert.equal((await sampler.computeLogprobs(PROMPT)).length, PROMPT.length);
      const reply = await sampler.sample({
        prompt: PROMPT,
        params: { maxTokens: 1 },
        promptLogprobs: true,
        topkPromptLogprobs: 3,
      });
      assert.ok(reply.topkPromptLogprobs !== undefined);
    });
  },
};

/** The smallest PNG: one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function refuseImages(subject: Subject): Promise<void> {
  const chunks = [
    { type: 'encoded_text' as const, tokens: PROMPT },
    { type: 'image' as const, data: new Uint8Array(PIXEL), format: 'png' as const, expectedTokens: 1 },
  ];
  await withSampler(subject, async (sampler) => {
    const sample = sampler.sample({ prompt: chunks, params: { maxTokens: MAX_TOKENS }, timeoutMs: 20_000 });
    const error = await expectError(sample, TinkerError);
    assert.equal(error.retryable, false);
    await sampler.sample({ prompt: PROMPT, params: { maxTokens: MAX_TOKENS } });
  });
}

export const images: RowChecks = { skyrl: refuseImages, tuft: refuseImages };
