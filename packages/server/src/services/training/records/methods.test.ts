import { makeConversation, makePreference, type DataRecord, type ChatMessage } from '@lachesis/protocol';
import { loadTokenizer, type Tokenizer } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeByteModel } from '../../models/byte-model.fixture.ts';
import { createDpoMethod } from '../dpo/method.ts';
import { watchJournal } from '../engine/watched-journal.ts';
import { createKtoMethod } from '../kto/method.ts';
import type { ExampleContext, RecordExample, RecordMethod, RecordModel } from './method.ts';
import { isSkipped } from './render-sequence.ts';
import { readRecordSettings } from './settings.ts';
import { weightsOf, wholeOf } from './to-datum.ts';
import { createSftMethod, type SftOptions } from '../sft/method.ts';
import { createMemoryJournal, FakeEngine } from '../testing/fake-engine.fixture.ts';

let folder: Awaited<ReturnType<typeof writeByteModel>>;
let tokenizer: Tokenizer;
let context: ExampleContext;
beforeAll(async () => {
  folder = await writeByteModel();
  tokenizer = await loadTokenizer({ directory: folder.directory });
  context = { tokenizer, maxTokens: 400 };
});
afterAll(() => folder.remove());

const user = (content: string): ChatMessage => ({ role: 'user', content });
const reply = (content: string): ChatMessage => ({ role: 'assistant', content });
const sft = (changes: Partial<SftOptions> = {}): RecordMethod =>
  createSftMethod({ trainOn: 'all-assistant', useRecordedTokens: false, packTokens: undefined, ...changes });
const dpo = createDpoMethod({ beta: 0.1, labelSmoothing: 0, chosenNllWeight: 0 });
const kto = createKtoMethod({ beta: 0.1, desirableWeight: 1, undesirableWeight: 1 });
const openModel = (): Promise<RecordModel> =>
  new FakeEngine().connect(watchJournal(createMemoryJournal()), () => undefined).create();

async function make(method: RecordMethod, record: DataRecord): Promise<RecordExample> {
  const example = await method.toExample(record, context);
  if (isSkipped(example)) throw new Error(example.skipped);
  return example;
}

/** What is learnt of a sequence, as text. */
function learnt(datum: Datum): Promise<string> {
  const tokens = wholeOf(datum).slice(1);
  return tokenizer.decode(
    tokens.filter((_, at) => weightsOf(datum)[at]! > 0),
    { skipSpecialTokens: false },
  );
}

const withReference = (example: RecordExample, value = -1): RecordExample => ({
  ...example,
  reference: example.datums.map(({ tokens }) => new Float32Array(tokens.length).fill(value)),
});

const pair = makePreference({ id: 'p', prompt: [user('Hi')], chosen: [reply('good')], rejected: [reply('bad!!')] });

describe('sft', () => {
  const talk = makeConversation({ id: 'c', messages: [user('a'), reply('one'), user('b'), reply('two')] });

  test('learns the replies with the token that ends them, and no prompt', async () => {
    expect(await learnt((await make(sft(), talk)).datums[0]!)).toBe('one<|im_end|>two<|im_end|>');
    expect(await learnt((await make(sft({ trainOn: 'last-assistant' }), talk)).datums[0]!)).toBe('two<|im_end|>');
  });

  test('does not learn a reply that the data set gives no weight', async () => {
    const messages = talk.messages.map((message, index) => (index === 1 ? { ...message, weight: 0 } : message));
    expect(await learnt((await make(sft(), { ...talk, messages })).datums[0]!)).toBe('two<|im_end|>');
  });

  test('says why it leaves a row out, and cuts none', async () => {
    const skip = (record: DataRecord, method = sft()) => method.toExample(record, context);
    expect(await skip({ ...talk, weight: 0 })).toEqual({ skipped: 'its weight is 0' });
    expect(await skip({ ...talk, messages: [user('a')] })).toEqual({ skipped: 'it holds no reply to learn from' });
    expect(await skip({ ...talk, messages: [user('a'), reply('x'.repeat(500))] })).toEqual({
      skipped: 'it is longer than max_tokens (400)',
    });
    expect(await skip(talk, sft({ useRecordedTokens: true }))).toEqual({ skipped: 'its tokens were not recorded' });
  });

  test('takes the tokens that were recorded where it is told to', async () => {
    const tokens = { token_ids: [5, 6, 7], mask: [0, 0, 1] as (0 | 1)[], logprobs: null };
    const { datums } = await make(sft({ useRecordedTokens: true }), { ...talk, tokens });
    expect(datums[0]!.tokens).toEqual(Int32Array.from([5, 6]));
    expect(weightsOf(datums[0]!)).toEqual(Float32Array.from([0, 1]));
  });

  test('tells the mean over the tokens that are learnt', async () => {
    const example = await make(sft(), talk);
    const { metrics } = await sft().pass(await openModel(), [example, example]);
    expect(metrics['train/mean_nll']).toBeCloseTo(1);
    expect(metrics['train/trained_tokens']).toBe(2 * 8);
    expect((await sft().evaluate(await openModel(), [example])).weight).toBe(8);
  });

  test('weighs rows by their weight on servers that would divide it away', async () => {
    const [light, heavy] = await Promise.all([make(sft(), { ...talk, weight: 0.5 }), make(sft(), talk)]);
    const model = await openModel();
    const seen: number[][] = [];
    const spied: RecordModel = {
      ...model,
      customLoss: (datums, loss) => {
        const logprobs = datums.map(({ tokens }) => new Float32Array(tokens.length).fill(-2));
        const { gradients, loss: value } = loss({ logprobs, datums });
        seen.push([value, ...gradients.map((own) => own.reduce((sum, each) => sum + each, 0))]);
        return model.customLoss(datums, loss);
      },
    };
    await sft().pass(spied, [light, heavy]);
    expect(seen[0]![0]).toBeCloseTo(2);
    expect(seen[0]![1]).toBeCloseTo(-1 / 3);
    expect(seen[0]![2]).toBeCloseTo(-2 / 3);
  });

  test('packs conversations when asked, without learning the step from one to the next', async () => {
    const method = sft({ packTokens: 200 });
    const examples = await Promise.all([make(method, talk), make(method, talk), make(method, { ...talk, weight: 2 })]);
    const packed = method.arrange!(examples);
    expect(packed.map(({ id }) => id)).toEqual(['c+c', 'c']);
    expect(await learnt(packed[0]!.datums[0]!)).toBe('one<|im_end|>two<|im_end|>one<|im_end|>two<|im_end|>');
    expect(wholeOf(packed[0]!.datums[0]!)).toHaveLength(2 * wholeOf(examples[0].datums[0]!).length);
  });
});

describe('dpo', () => {
  test('learns what stands behind the prompt, the chosen side first', async () => {
    const { datums } = await make(dpo, pair);
    expect(await Promise.all(datums.map(learnt))).toEqual(['good<|im_end|>', 'bad!!<|im_end|>']);
    expect(await dpo.toExample(makeConversation({ id: 'c', messages: [user('a')] }), context)).toEqual({
      skipped: 'it is a conversation and no pair',
    });
  });

  test('takes sampled tokens of a pair as they are', async () => {
    const side = (...token_ids: number[]) => ({
      token_ids,
      mask: token_ids.map((_, at) => (at > 1 ? 1 : 0)),
      logprobs: null,
    });
    const extra = { lachesis: { tokens: { chosen: side(1, 2, 3), rejected: side(1, 2, 4, 5) } } };
    const { datums } = await make(dpo, { ...pair, extra });
    expect(datums.map((datum) => [...wholeOf(datum)])).toEqual([
      [1, 2, 3],
      [1, 2, 4, 5],
    ]);
  });

  test('has the metrics people know; a policy that is the reference has a loss of log 2', async () => {
    const batch = [withReference(await make(dpo, pair))];
    const { metrics } = await dpo.pass(await openModel(), batch);
    expect(metrics['dpo/loss']).toBeCloseTo(Math.LN2);
    expect(metrics).toMatchObject({ 'dpo/accuracy': 0, 'dpo/margin': 0, 'rewards/chosen': 0, 'rewards/rejected': 0 });
    // Four letters and an end against five and an end: the shorter one is likelier to a policy that knows nothing.
    const measured = await dpo.evaluate(await openModel(), batch);
    expect(measured).toMatchObject({ metrics: { 'eval/preferred': 1, 'eval/accuracy': 0 }, weight: 1 });
  });

  test('holds the chosen reply up by its mean NLL where that is asked for', async () => {
    const batch = [withReference(await make(dpo, pair))];
    const model = await openModel();
    const chosen: number[][] = [];
    const spied: RecordModel = {
      ...model,
      customLoss: (datums, loss) => {
        const logprobs = datums.map(({ tokens }) => new Float32Array(tokens.length).fill(-1));
        const { gradients, loss: value } = loss({ logprobs, datums });
        chosen.push([value, ...gradients.map((own) => own.reduce((sum, each) => sum + each, 0))]);
        return model.customLoss(datums, loss);
      },
    };
    await dpo.pass(spied, batch);
    await createDpoMethod({ beta: 0.1, labelSmoothing: 0, chosenNllWeight: 0.5 }).pass(spied, batch);
    const [plain, held] = chosen;
    expect(held![0]! - plain![0]!).toBeCloseTo(0.5);
    expect(held![1]! - plain![1]!).toBeCloseTo(-0.5);
    expect(held![2]).toBe(plain![2]);
  });

  test('does not go on without the logprobs of the reference', async () => {
    await expect(dpo.pass(await openModel(), [await make(dpo, pair)])).rejects.toThrow('example p has no logprobs');
  });

  test('begins with β 0.1 and a learning rate of 1e-5', () => {
    expect(readRecordSettings('dpo', {})).toMatchObject({ beta: 0.1, learning_rate: 1e-5, packing: false });
    expect(() => readRecordSettings('dpo', { betta: 1 })).toThrow('The setting betta cannot be used');
    expect(() => readRecordSettings('dpo', { batch_size: 0 })).toThrow('The setting batch_size cannot be used');
  });
});

describe('kto', () => {
  const rated = (id: string, said: string, rating: number | null) =>
    makeConversation({ id, messages: [user(`ask ${id}`), reply(said)], rating });

  test('takes lone ratings, and says which say nothing', async () => {
    expect((await make(kto, rated('a', 'no', 0))).facts).toEqual({ labels: 'undesirable' });
    expect((await make(kto, rated('a', 'yes', 1))).facts).toEqual({ labels: 'desirable' });
    expect((await make(kto, pair)).facts).toEqual({ labels: 'desirable undesirable' });
    expect(await kto.toExample(rated('a', 'x', null), context)).toEqual({ skipped: 'nobody rated it' });
    expect(await kto.toExample(rated('a', 'x', 0.5), context)).toHaveProperty('skipped');
  });

  test('puts the reply of the next row under the prompt of each, to measure how far the policy has moved', async () => {
    const examples = await Promise.all([make(kto, rated('a', 'one', 1)), make(kto, rated('b', 'two', 0))]);
    const [first] = kto.arrange!(examples);
    expect(first!.facts).toEqual({ labels: 'desirable mismatched' });
    const text = await tokenizer.decode(wholeOf(first!.datums[1]!), { skipSpecialTokens: false });
    expect(text).toContain('ask a');
    expect(await learnt(first!.datums[1]!)).toBe('two<|im_end|>');
    const { metrics } = await kto.pass(await openModel(), [withReference(first!)]);
    expect(metrics).toMatchObject({ 'kto/loss': 0.5, 'rewards/desirable': 0 });
  });
});
