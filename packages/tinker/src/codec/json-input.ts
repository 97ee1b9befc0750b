import type { InputChunk } from './datum.ts';

/** Tokens that become a list of numbers when they are written and not before: a prompt is kept while its sample runs. */
class TokenList {
  readonly #tokens: Int32Array;

  constructor(tokens: Int32Array) {
    this.#tokens = tokens;
  }

  /** `Array.from` would make an object for each token on the way. */
  toJSON(): number[] {
    const tokens = this.#tokens;
    const list = new Array<number>(tokens.length);
    for (let index = 0; index < tokens.length; index += 1) list[index] = tokens[index]!;
    return list;
  }
}

/** The JSON form of model input. The arrays are read when it is written. */
export function chunksToJson(input: Int32Array | readonly InputChunk[]): Record<string, unknown>[] {
  if (input instanceof Int32Array) return [{ type: 'encoded_text', tokens: new TokenList(input) }];
  return input.map((chunk) => {
    switch (chunk.type) {
      case 'encoded_text':
        return { type: chunk.type, tokens: new TokenList(chunk.tokens) };
      case 'image':
        return {
          type: chunk.type,
          data: base64(chunk.data),
          format: chunk.format,
          ...(chunk.expectedTokens === undefined ? {} : { expected_tokens: chunk.expectedTokens }),
        };
      case 'image_asset_pointer':
        return {
          type: chunk.type,
          location: chunk.location,
          format: chunk.format,
          ...(chunk.expectedTokens === undefined ? {} : { expected_tokens: chunk.expectedTokens }),
        };
      case 'dmel':
        return { type: chunk.type, dmel: base64(chunk.dmel) };
    }
  });
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
