import { importNative } from './import-native.ts';
import type { NativePackage } from './native-package.ts';

/** The smallest tokenizer there is: two words. */
const TWO_WORDS = JSON.stringify({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab: { to: 0, do: 1 }, unk_token: 'to' },
});

/** Throws unless the native package is here and works: for a check that has no model at hand. */
export async function probeNativeTokenizers(
  options: { importTokenizers?: () => Promise<NativePackage> } = {},
): Promise<void> {
  const { Tokenizer } = await importNative(options.importTokenizers);
  const encoding = await Tokenizer.fromString(TWO_WORDS).encode('do to', null, { addSpecialTokens: false });
  if (encoding.getIds().join() !== '1,0') throw new Error('it encodes two known words wrongly');
}
