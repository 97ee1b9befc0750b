import type { BlobStore, Store } from '@lachesis/store';

/** What reading rollouts needs. */
export interface RolloutDeps {
  store: Store;
  blobs: Pick<BlobStore, 'get'>;
  /** Turns tokens into text; undefined where the tokenizer of the run is not on this machine. */
  openTokenText: (tokenizer: string) => Promise<TokenText | undefined>;
}

/** Tokens as a person reads them. */
export interface TokenText {
  decode(tokens: readonly number[]): Promise<string>;
  /** Each token on its own. A character of several tokens shows in none of them. */
  split(tokens: readonly number[]): Promise<string[]>;
  /** What each token stands for, in bytes. */
  spell(tokens: readonly number[]): Promise<Uint8Array[]>;
}
