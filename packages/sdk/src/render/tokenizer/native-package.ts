/**
 * What is used of the package `tokenizers`. Written out here, because that package is optional and whoever does not install it
 * should still be able to read our types.
 */
export interface NativePackage {
  readonly Tokenizer: { fromString(json: string): NativeTokenizer };
  readonly AddedToken: new (text: string, isSpecial: boolean, options?: { normalized?: boolean }) => NativeAddedToken;
}

export interface NativeAddedToken {
  getContent(): string;
}

export interface NativeTokenizer {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<NativeEncoding>;
  decode(ids: number[], skipSpecialTokens: boolean): Promise<string>;
  tokenToId(text: string): number | null;
  idToToken(id: number): string | null;
  addAddedTokens(tokens: NativeAddedToken[]): number;
  getVocabSize(withAddedTokens: boolean): number;
  disableTruncation(): void;
  disablePadding(): void;
}

export interface NativeEncoding {
  getIds(): number[];
  getOffsets(): number[][];
}
