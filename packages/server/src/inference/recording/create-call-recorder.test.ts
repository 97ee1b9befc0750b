import { createIdSource, createRedactor, captureRecordSchema, type CallRecord } from '@lachesis/protocol';
import { describe, expect, it } from 'vitest';
import type { CollectedReply } from '@lachesis/sdk/capture';
import type { BegunCall, CallRecorder } from './call-recorder.ts';
import { createCallRecorder, type CallRecorderOptions } from './create-call-recorder.ts';

const SECRET = 'hunter2-hunter2';

function open(options: Partial<CallRecorderOptions> = {}): {
  recorder: CallRecorder;
  records: CallRecord[];
  lost: unknown[];
} {
  const records: CallRecord[] = [];
  const lost: unknown[] = [];
  let time = 1_000;
  const recorder = createCallRecorder({
    recorder: 'gateway-1',
    append: (_tenantId, record) => void records.push(captureRecordSchema.parse(record) as CallRecord),
    redactor: createRedactor({ secrets: [SECRET] }),
    findTrajectory: () => undefined,
    prices: {},
    consent: 'train',
    capturesRollouts: false,
    ids: createIdSource(),
    now: () => (time += 10),
    onLost: (error) => void lost.push(error),
    ...options,
  });
  return { recorder, records, lost };
}

const call = (body: object, labels: Partial<BegunCall['labels']> = {}): BegunCall => ({
  endpoint: 'chat',
  body,
  labels: { trajectory: null, user: null, tags: [], consent: undefined, isRollout: false, ...labels },
  tenantId: 'local',
  upstream: 'api.example',
});

const HELLO = { model: 'm', messages: [{ role: 'user', content: 'hi' }], temperature: 0.5 };

const replied = (
  over: Partial<CollectedReply['choices'][number]> = {},
  around: Partial<CollectedReply> = {},
): CollectedReply => ({
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'yes' },
      finishReason: 'stop',
      tokenIds: [1, 2],
      logprobs: [-0.5, -1],
      promptTokenIds: [9],
      policyVersion: 4,
      ...over,
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  cost: undefined,
  model: 'm-2026',
  ...around,
});

describe('a recorder of calls', () => {
  it('keeps the request, the reply, its tokens and its times', () => {
    const { recorder, records } = open();
    const under = recorder.begin(call(HELLO, { trajectory: 'k', user: 'ann', tags: ['a'] }));
    under?.begun();
    under?.complete(replied());
    expect(records).toEqual([
      expect.objectContaining({
        ...{ kind: 'call', state: 'complete', source: 'gateway', recorder: 'gateway-1', sequence: 0, trajectory: 'k' },
        ...{ user: 'ann', tags: ['a'], consent: 'train', model: 'm-2026', upstream: 'api.example', is_stream: false },
        metadata: { asked_model: 'm' },
        messages: HELLO.messages,
        sampling: { temperature: 0.5 },
        replies: [
          {
            message: { role: 'assistant', content: 'yes' },
            finish_reason: 'stop',
            tokens: { prompt_token_ids: [9], token_ids: [1, 2], logprobs: [-0.5, -1], policy_version: 4 },
            tokens_missing: null,
          },
        ],
        started_at: 1_010,
        first_token_at: 1_020,
        error: null,
      }),
    ]);
  });

  it('names the registered model that answered, and takes nobody else’s word for it', () => {
    const { recorder, records } = open();
    const body = { ...HELLO, model: 'm-2026', metadata: { model_version_id: 'forged', team: 'a' } };
    recorder.begin(call(body))?.complete(replied({}, { modelVersionId: 'id-3' }));
    recorder.begin(call(body))?.complete(replied());
    expect(records.map(({ metadata }) => metadata)).toEqual([{ team: 'a', model_version_id: 'id-3' }, { team: 'a' }]);
  });

  it.each([
    ['backend-returns-none', { tokenIds: undefined }],
    ['no-logprobs', { logprobs: undefined }],
    ['no-logprobs', { logprobs: [Number.NaN, 0] }],
    ['length-mismatch', { logprobs: [-1] }],
  ])('says %s when tokens cannot be kept', (reason, over) => {
    const { recorder, records } = open();
    recorder.begin(call(HELLO))?.complete(replied(over));
    expect(records[0]?.replies[0]).toMatchObject({ tokens: null, tokens_missing: reason });
  });

  it('keeps what had arrived of an interrupted reply, and the error of a failed one', () => {
    const { recorder, records } = open();
    recorder.begin(call(HELLO))?.interrupted(replied({ finishReason: null }));
    recorder.begin(call(HELLO))?.failed({ message: 'no', status: 429 });
    expect(records).toMatchObject([
      {
        state: 'interrupted',
        sequence: 0,
        replies: [{ message: { content: 'yes' }, tokens: null, tokens_missing: 'interrupted' }],
      },
      { state: 'failed', sequence: 1, replies: [], error: { message: 'no', status: 429 } },
    ]);
  });

  it('ends once', () => {
    const { recorder, records } = open();
    const under = recorder.begin(call(HELLO));
    under?.complete(replied());
    under?.interrupted(undefined);
    expect(records.map(({ state }) => state)).toEqual(['complete']);
  });

  it('leaves out who does not consent, and rollouts unless they are wanted', () => {
    const { recorder } = open();
    expect(recorder.begin(call(HELLO, { consent: 'none' }))).toBeUndefined();
    expect(recorder.begin(call(HELLO, { isRollout: true }))).toBeUndefined();
    expect(open({ capturesRollouts: true }).recorder.begin(call(HELLO, { isRollout: true }))).toBeDefined();
  });

  it('takes secrets out of every field, and the ids that spell them', () => {
    const { recorder, records } = open();
    const body = {
      ...{ model: 'm', user: `u-${SECRET}`, metadata: { note: SECRET }, stop: SECRET },
      messages: [{ role: 'user', content: `it is ${SECRET}` }],
      tools: [{ type: 'function', function: { name: 'f', description: SECRET } }],
    };
    recorder
      .begin(call(body, { trajectory: `t-${SECRET}`, tags: [SECRET] }))
      ?.complete(replied({ message: { role: 'assistant', content: SECRET } }));
    recorder.begin(call(body, { trajectory: `t-${SECRET}` }))?.failed({ message: `no ${SECRET}`, status: null });
    expect(JSON.stringify(records)).not.toContain('hunter2');
    expect(records[0]?.replies[0]).toMatchObject({ tokens: null, tokens_missing: 'redacted' });
    expect(records[1]).toMatchObject({ trajectory: records[0]?.trajectory, sequence: 1 });
  });

  it('numbers the records of each key from 0', () => {
    const { recorder, records } = open();
    for (const trajectory of ['a', 'b', 'a', null, null]) {
      recorder.begin(call(HELLO, { trajectory }))?.complete(replied());
    }
    expect(records.map(({ sequence }) => sequence)).toEqual([0, 0, 1, 0, 1]);
  });

  it('says when a record is lost, and skips its number', () => {
    const records: CallRecord[] = [];
    let isFull = true;
    const { recorder, lost } = open({
      append: (_tenantId, record) => {
        if (isFull) throw new Error('ENOSPC');
        records.push(record);
      },
    });
    recorder.begin(call(HELLO))?.complete(replied());
    isFull = false;
    recorder.begin(call(HELLO))?.complete(replied());
    expect(lost).toHaveLength(1);
    expect(records.map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('takes the cost from the upstream, else from the table, else leaves it open', () => {
    const prices = { m: { input: 1, output: 10 } };
    const costs = [
      [{ cost: 0.25 }, prices],
      [{}, prices],
      [{ usage: undefined }, prices],
      [{}, {}],
    ].map(([around, table]) => {
      const { recorder, records } = open({ prices: table as typeof prices });
      recorder.begin(call(HELLO))?.complete(replied({}, around as Partial<CollectedReply>));
      return records[0]?.cost;
    });
    expect(costs).toEqual([0.25, 21e-6, null, null]);
  });

  it('makes one record of each prompt of a completion', () => {
    const { recorder, records } = open();
    const choices = [0, 1, 2, 3].map((index) => ({
      ...replied().choices[0]!,
      index,
      message: { role: 'assistant', content: String(index) },
      promptTokenIds: undefined,
    }));
    const body = { prompt: ['one', [5, 6]], n: 2, max_tokens: 4 };
    recorder.begin({ ...call(body), endpoint: 'completions' })?.complete({ ...replied(), choices });
    expect(records).toMatchObject([
      {
        metadata: { endpoint: 'completions' },
        messages: [{ content: 'one' }],
        replies: [{ message: { content: '0' }, tokens: { prompt_token_ids: null } }, { message: { content: '1' } }],
        usage: { total_tokens: 3 },
      },
      {
        messages: [{ content: null }],
        replies: [{ message: { content: '2' }, tokens: { prompt_token_ids: [5, 6] } }, { message: { content: '3' } }],
        usage: null,
      },
    ]);
  });

  it('keeps odd requests rather than losing them', () => {
    const { recorder, records, lost } = open();
    for (const body of [null, 7, {}, { messages: 'x' }, { messages: [null, { content: [1] }], tools: [3, {}] }]) {
      recorder.begin(call(body as object))?.failed({ message: 'bad', status: 400 });
    }
    expect(lost).toEqual([]);
    expect(records).toHaveLength(5);
  });
});
