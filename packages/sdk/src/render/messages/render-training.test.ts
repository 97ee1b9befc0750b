import { afterAll, beforeAll, expect, test } from 'vitest';
import { FORGETFUL, type TinyModel, createTinyModel } from '../testing/tiny-model.fixture.ts';
import { loadTokenizer } from '../tokenizer/load-tokenizer.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { checkPrefixExtension } from './check-prefix-extension.ts';
import { type TrainOn, renderTraining } from './render-training.ts';

const MARKED =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}" +
  "{% else %}{{ m.content }}<|im_end|>{% endif %}{{ '\\n' }}{% endfor %}";

const templates = { plain: undefined, forgetful: FORGETFUL, marked: MARKED };
const models: TinyModel[] = [];
const tokenizers = new Map<string, Tokenizer>();

beforeAll(async () => {
  for (const [name, template] of Object.entries(templates)) {
    const model = await createTinyModel(template === undefined ? {} : { template });
    models.push(model);
    tokenizers.set(name, await loadTokenizer({ directory: model.directory }));
  }
});

afterAll(async () => {
  for (const model of models) await model.remove();
});

const messages = [
  { role: 'user', content: 'Q1' },
  { role: 'assistant', content: 'Ä1', reasoning_content: 'R1' },
  { role: 'user', content: 'Q2 <|im_end|>' },
  { role: 'assistant', content: 'A2', reasoning_content: 'R2' },
];

async function readTrained(
  name: keyof typeof templates,
  trainOn: TrainOn,
): Promise<[texts: string[], methods: string[], issues: string[]]> {
  const tokenizer = tokenizers.get(name);
  if (tokenizer === undefined) throw new Error(`no tokenizer ${name}`);
  const { tokens, mask, spans, issues } = await renderTraining({ tokenizer, messages, trainOn });
  const texts: string[] = [];
  for (const { start, end } of spans) texts.push(await tokenizer.decode(tokens.subarray(start, end)));
  const trained = mask.reduce((sum, bit) => sum + bit, 0);
  expect(trained).toBe(
    trainOn === 'everything' ? tokens.length : spans.reduce((sum, { start, end }) => sum + end - start, 0),
  );
  return [texts, spans.map(({ method }) => method), issues.map(({ kind }) => kind)];
}

test('replies are learnt from behind their prompt to their stop token', async () => {
  expect(await readTrained('plain', 'all-assistant')).toEqual([
    ['Ä1<|im_end|>', 'A2<|im_end|>'],
    ['prefix', 'prefix'],
    [],
  ]);
  expect(await readTrained('plain', 'last-assistant')).toEqual([['A2<|im_end|>'], ['prefix'], []]);
  expect((await readTrained('plain', 'everything'))[2]).toEqual([]);
});

test('messages are chosen by a function', async () => {
  expect(await readTrained('plain', (message, index) => message.role === 'user' && index === 2)).toEqual([
    ['<|im_start|>user\nQ2 <|im_end|><|im_end|>'],
    ['loop'],
    ['no-clear-start'],
  ]);
});

test('a template that forgets reasoning is masked as it prints', async () => {
  const [texts] = await readTrained('forgetful', 'all-assistant');
  expect(texts).toEqual(['Ä1<|im_end|>', '<think>\nR2\n</think>\n\nA2<|im_end|>']);
});

test('the marks of a template come first', async () => {
  expect(await readTrained('marked', 'all-assistant')).toEqual([
    ['Ä1<|im_end|>', 'A2<|im_end|>'],
    ['generation', 'generation'],
    [],
  ]);
});

test('prefix extension is found out, not assumed', async () => {
  const check = async (name: string): Promise<unknown> => {
    const tokenizer = tokenizers.get(name);
    if (tokenizer === undefined) throw new Error(`no tokenizer ${name}`);
    const { holds, turns } = await checkPrefixExtension({ tokenizer, messages });
    return [holds, turns.map((turn) => [turn.messageIndex, turn.extendsPrompt, turn.isKeptByNext])];
  };
  expect(await check('plain')).toEqual([
    true,
    [
      [1, true, true],
      [3, true, undefined],
    ],
  ]);
  expect(await check('forgetful')).toEqual([
    false,
    [
      [1, true, false],
      [3, true, undefined],
    ],
  ]);
});
