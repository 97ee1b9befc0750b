import type { InputChunk } from './datum.ts';

/** The JSON form of model input. */
export function chunksToJson(input: Int32Array | readonly InputChunk[]): Record<string, unknown>[] {
  if (input instanceof Int32Array) return [{ type: 'encoded_text', tokens: Array.from(input) }];
  return input.map((chunk) => {
    switch (chunk.type) {
      case 'encoded_text':
        return { type: chunk.type, tokens: Array.from(chunk.tokens) };
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
