import { families } from '../render/families.ts';

const NAMES = ['qwen3', 'llama3_2', 'mistral_nemo', 'deepseek_v3', 'gemma3'];

/** Five ways of writing a conversation, each with its own tokenizer. */
export const fiveFamilies: readonly { readonly name: string; readonly directory: string }[] = families.flatMap(
  ({ name, directory }) => (NAMES.includes(name) && directory !== undefined ? [{ name, directory }] : []),
);
