import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Tokenizer, loadTokenizer } from '@lachesis/sdk/render';
import { CompressionError } from '../compression-error.ts';
import { createWordCounter } from './create-word-counter.ts';
import {
  CHARACTER_COUNTER,
  type TokenCounter,
  createCharacterCounter,
  createTokenizerCounter,
} from './token-counter.ts';

type LoadTokenizerOptions = Parameters<typeof loadTokenizer>[0];

export interface LoadTokenCounterOptions {
  /** A folder, the name of a model, whose tokenizer is fetched from the hub once, or `characters/4`. */
  readonly name: string;
  /** Whether somebody asked for this one by name: then another is no answer. */
  readonly isAsked: boolean;
  readonly load?: (options: LoadTokenizerOptions) => Promise<Tokenizer>;
}

/** The tokenizer of a name; where it cannot be had and nobody asked for it, an estimate with a note that says so. */
export async function loadTokenCounter({
  name,
  isAsked,
  load = loadTokenizer,
}: LoadTokenCounterOptions): Promise<{ counter: TokenCounter; note: string | undefined }> {
  if (name === CHARACTER_COUNTER) return { counter: createCharacterCounter(), note: undefined };
  const isFolder = existsSync(name);
  try {
    const tokenizer = await load({ model: name });
    const tokenizerJson = await readFile(join(tokenizer.place, 'tokenizer.json'), 'utf8');
    const countWords = await createWordCounter({ tokenizer, tokenizerJson });
    const counter = createTokenizerCounter(tokenizer, { name: isFolder ? basename(name) : name, countWords });
    return { counter, note: undefined };
  } catch (cause) {
    const reason = `The tokenizer ${name} cannot be had here: ${cause instanceof Error ? cause.message : String(cause)}`;
    if (isAsked) {
      throw new CompressionError({
        kind: 'bad-settings',
        reason,
        hint: `Name a folder with tokenizer.json, or --tokenizer ${CHARACTER_COUNTER} for an estimate.`,
        cause,
      });
    }
    return {
      counter: createCharacterCounter(),
      note: `${reason} Tokens are estimated as a quarter of the characters; --tokenizer names a folder with tokenizer.json.`,
    };
  }
}
