import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Markers of turns that end no reply, unlike GLM's own: a reply that ends otherwise than the template writes it is a fork. */
const TURNS = ['<|assistant|>', '<tool_response>'];
/**
 * What stands before and behind the letter of a call, as GLM 4.7 writes it. A call is three tokens and its end, and not forty: a
 * model of this size is sure of a token seven times in ten, and forty are never right together.
 */
const CALL_PARTS = ['<tool_call>look<arg_key>at</arg_key><arg_value>', '</arg_value></tool_call>'];

/** Without the descriptions of tools: the model learns them by heart, and each token of a prompt costs time. */
const CHAT_TEMPLATE = [
  '{%- for message in messages -%}',
  "{%- if message.role == 'assistant' -%}",
  "<|assistant|>{{ message.content or '' }}",
  '{%- for call in message.tool_calls or [] -%}',
  '<tool_call>{{ call.function.name }}',
  '{%- for key, value in call.function.arguments.items() -%}',
  '<arg_key>{{ key }}</arg_key><arg_value>{{ value if value is string else value | tojson }}</arg_value>',
  '{%- endfor -%}',
  '</tool_call>',
  '{%- endfor -%}',
  "{%- elif message.role == 'tool' -%}",
  '<tool_response>{{ message.content }}',
  '{%- else -%}',
  '<|im_start|>{{ message.content }}',
  '{%- endif -%}',
  '<|im_end|>',
  '{%- endfor -%}',
  '{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}',
].join('');

interface TokenizerFile {
  added_tokens: object[];
  model: { vocab: Record<string, number>; merges: unknown[] };
}

/**
 * The tiny model with a template for calls. Its weights and its size stay: the tokens of the template take the places of those
 * its vocabulary learnt last, with the merges that made them.
 */
export async function makeToolModel({ from, to }: { from: string; to: string }): Promise<void> {
  await cp(from, to, { recursive: true });
  const tokenizer = JSON.parse(await readFile(join(from, 'tokenizer.json'), 'utf8')) as TokenizerFile;
  const config = JSON.parse(await readFile(join(from, 'tokenizer_config.json'), 'utf8')) as object;
  const added = [...TURNS, ...CALL_PARTS];
  const words = Object.entries(tokenizer.model.vocab).toSorted(([, left], [, right]) => left - right);
  const firstId = words.length - added.length;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  const changed = {
    ...tokenizer,
    added_tokens: [
      ...tokenizer.added_tokens,
      ...added.map((content, index) => ({ id: firstId + index, content, ...flags, special: TURNS.includes(content) })),
    ],
    model: {
      ...tokenizer.model,
      vocab: Object.fromEntries(words.slice(0, firstId)),
      // One for each word that was learnt, in the order of the words.
      merges: tokenizer.model.merges.slice(0, -added.length),
    },
  };
  await writeFile(join(to, 'tokenizer.json'), JSON.stringify(changed));
  await writeFile(join(to, 'tokenizer_config.json'), JSON.stringify({ ...config, chat_template: CHAT_TEMPLATE }));
}
