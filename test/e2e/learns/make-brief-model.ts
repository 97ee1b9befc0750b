import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A turn is its text between two marks. With the template of the tiny model nine of eleven tokens of a prompt are always the
 * same, and attention of random weights looks at all of them alike.
 */
const CHAT_TEMPLATE = [
  '{%- for message in messages -%}',
  "{{- '<|im_start|>' + message.content + '<|im_end|>' -}}",
  '{%- endfor -%}',
  "{%- if add_generation_prompt -%}{{- '<|im_start|>' -}}{%- endif -%}",
].join('');

/** The tiny model with a brief template; weights, words and size stay. */
export async function makeBriefModel({ from, to }: { from: string; to: string }): Promise<void> {
  await cp(from, to, { recursive: true });
  const config = JSON.parse(await readFile(join(from, 'tokenizer_config.json'), 'utf8')) as object;
  await writeFile(join(to, 'tokenizer_config.json'), JSON.stringify({ ...config, chat_template: CHAT_TEMPLATE }));
}
