import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One token per byte, so that every expectation in a test can be counted by hand. */
export const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** A ChatML that drops the reasoning of earlier turns, as Qwen 3 does. */
export const FORGETFUL =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}" +
  "{% if message.role == 'assistant' and loop.last %}{{ '<think>\\n' + (message.reasoning_content or '') + '\\n</think>\\n\\n' }}{% endif %}" +
  '{{ message.content }}{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}' +
  "{{ '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

const SPECIAL = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];
const ADDED = ['<think>', '</think>', '<tool_call>', '</tool_call>'];

export interface TinyModel {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Writes a model folder with a byte-level tokenizer; `files` adds to it or replaces what is there. */
export async function createTinyModel(
  options: { template?: unknown; files?: Readonly<Record<string, string>> } = {},
): Promise<TinyModel> {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-tiny-model-'));
  const files: Record<string, string> = {
    'tokenizer.json': JSON.stringify(createTokenizer()),
    'tokenizer_config.json': JSON.stringify({
      eos_token: { content: '<|im_end|>' },
      pad_token: '<|endoftext|>',
      bos_token: null,
      chat_template: options.template ?? CHATML,
    }),
    ...options.files,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

function createTokenizer(): unknown {
  const characters = listByteCharacters();
  const vocab = Object.fromEntries(characters.map((character, index) => [character, index]));
  const added = [...SPECIAL, ...ADDED].map((content, index) => ({
    id: characters.length + index,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: SPECIAL.includes(content),
  }));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    truncation: { direction: 'Right', max_length: 5, strategy: 'LongestFirst', stride: 0 },
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: { type: 'BPE', vocab, merges: [] },
  };
}

/** The 256 characters by which byte-level tokenizers write bytes: printable ones stand for themselves. */
function listByteCharacters(): string[] {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 256;
  return Array.from({ length: 256 }, (_unused, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}
