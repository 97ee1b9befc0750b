import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}{{ message.content }}" +
  "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}{{ '<|im_end|>\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}{# </think> #}";

const SPECIAL = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];
const ADDED = ['<think>', '</think>', '<tool_call>', '</tool_call>'];

/** In the order of their numbers, from 256 on. */
export const MARKERS: readonly string[] = [...SPECIAL, ...ADDED];

/** Writes a model folder whose tokens are bytes, then markers from 256 on, then words with numbers of their own; the function removes it. */
export async function writeByteModel(
  options: { directory?: string; words?: ReadonlyMap<string, number> } = {},
): Promise<{ directory: string; remove(): Promise<void> }> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'lachesis-byte-model-')));
  await mkdir(directory, { recursive: true });
  const config = { eos_token: '<|im_end|>', chat_template: TEMPLATE };
  await writeFile(join(directory, 'tokenizer.json'), JSON.stringify(describeTokenizer(options.words ?? new Map())));
  await writeFile(join(directory, 'tokenizer_config.json'), JSON.stringify(config));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

function describeTokenizer(words: ReadonlyMap<string, number>): object {
  const names = listByteNames();
  const spell = (word: string): string => Array.from(Buffer.from(word), (byte) => names[byte]).join('');
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: MARKERS.map((content, index) => ({
      ...flags,
      id: 256 + index,
      content,
      special: SPECIAL.includes(content),
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      vocab: Object.fromEntries([
        ...names.map((name, byte) => [name, byte] as const),
        // An added token that the vocabulary does not know gets the number behind its last.
        ...MARKERS.map((text, index) => [text, 256 + index] as const),
        ...[...words].map(([word, token]) => [spell(word), token] as const),
      ]),
      merges: [],
    },
  };
}

/** How byte-level tokenizers write bytes: printable ones stand for themselves, the others for letters from U+0100 on. */
function listByteNames(): string[] {
  const stands = (byte: number): boolean =>
    (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0xad) || (byte > 0xad && byte <= 0xff);
  let spare = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(stands(byte) ? byte : spare++));
}
