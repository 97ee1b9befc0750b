import { makeTinyModel } from '@lachesis/tinker/engine';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findPeerHome } from '../../peers/engine/peer-home.ts';

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

/** Letters, digits and marks are in it. Half of what a gradient costs is for tokens of a larger one that nobody uses. */
const VOCABULARY = 384;

/** The tiny model with a small vocabulary and a brief template; its layers are the same. */
export async function makeBriefModel(directory: string): Promise<void> {
  await makeTinyModel({ home: findPeerHome(), directory, vocabularySize: VOCABULARY });
  const file = join(directory, 'tokenizer_config.json');
  const config = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...config, chat_template: CHAT_TEMPLATE }));
}
