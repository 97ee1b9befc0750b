import type { Family } from '../families/detect-family.ts';
import type { CompiledTemplate } from '../template/compile-template.ts';
import type { AddedToken } from './read-model-config.ts';

export interface EncodedText {
  readonly tokens: Int32Array;
  /** Where each token begins and ends in the text, counted in code points. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export interface EncodeOptions {
  /** Adds what the model's post-processor adds, such as a first token; chat templates write that themselves. */
  readonly addSpecialTokens?: boolean;
}

export interface DecodeOptions {
  readonly skipSpecialTokens?: boolean;
}

/** A loaded tokenizer with the chat templates of its model. */
export interface Tokenizer {
  /** Where it was loaded from. */
  readonly place: string;
  readonly family: Family;
  /** Ids are below this number. */
  readonly vocabularySize: number;
  /** `bos_token` → `<s>`; only those the model has. */
  readonly specialTokens: ReadonlyMap<string, string>;
  readonly addedTokens: readonly AddedToken[];
  /** Ids after which the model has said what it wanted to say. */
  readonly stopTokens: ReadonlySet<number>;
  /** The text of control tokens becomes control tokens. For text that somebody else wrote use `encodeAsText`. */
  encode(text: string, options?: EncodeOptions): Promise<Int32Array>;
  encodeWithOffsets(text: string): Promise<EncodedText>;
  /** The text of control tokens stays text. */
  encodeAsText(text: string): Promise<Int32Array>;
  decode(tokens: Int32Array | readonly number[], options?: DecodeOptions): Promise<string>;
  /** What one token stands for, which may be a part of a character; undefined where its vocabulary does not say. */
  bytesOf(token: number): Uint8Array | undefined;
  findToken(text: string): number | undefined;
  /** The template of that name; without a name the one that transformers would take. */
  readTemplate(options: { name?: string | undefined; hasTools: boolean }): CompiledTemplate;
}
