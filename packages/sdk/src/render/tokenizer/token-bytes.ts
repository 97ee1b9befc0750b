import { z } from 'zod';

/** How the pieces of a vocabulary are written: by letters that stand for bytes, or as text with a sign for the space. */
const decoderSchema = z.looseObject({
  type: z.string(),
  decoders: z.array(z.looseObject({ type: z.string() })).optional(),
});

const fileSchema = z.looseObject({ decoder: decoderSchema.nullish() });

const BYTE_PIECE = /^<0x([0-9A-F]{2})>$/;
const SPACE_SIGN = '▁';

/**
 * What single tokens stand for, in bytes: one may be a part of a character, so that text cannot say it. Undefined for a token whose
 * piece is written in a way that is not known here.
 */
export function createTokenBytes(options: {
  tokenizerJson: string;
  /** As it stands in the vocabulary. */
  findPiece: (token: number) => string | null;
  addedTokens: readonly { id: number; text: string }[];
}): (token: number) => Uint8Array | undefined {
  const { decoder } = fileSchema.parse(JSON.parse(options.tokenizerJson));
  const kinds = new Set([decoder?.type, ...(decoder?.decoders ?? []).map(({ type }) => type)]);
  const added = new Map(options.addedTokens.map(({ id, text }) => [id, text]));
  const encoder = new TextEncoder();
  const readPiece = kinds.has('ByteLevel')
    ? readByteLetters
    : kinds.has('ByteFallback') || kinds.has('Metaspace')
      ? (piece: string): Uint8Array => {
          const [, byte] = BYTE_PIECE.exec(piece) ?? [];
          return byte === undefined
            ? encoder.encode(piece.replaceAll(SPACE_SIGN, ' '))
            : Uint8Array.of(Number.parseInt(byte, 16));
        }
      : undefined;
  return (token) => {
    const text = added.get(token);
    if (text !== undefined) return encoder.encode(text);
    const piece = options.findPiece(token);
    return piece === null ? undefined : readPiece?.(piece);
  };
}

function readByteLetters(piece: string): Uint8Array | undefined {
  const bytes = Array.from(piece, (letter) => BYTE_OF_LETTER.get(letter));
  return bytes.includes(undefined) ? undefined : Uint8Array.from(bytes as number[]);
}

/** Bytes that are no letters to look at have letters from 256 on, as GPT-2 numbered them. */
const BYTE_OF_LETTER: ReadonlyMap<string, number> = new Map(listByteLetters());

function* listByteLetters(): Generator<[string, number]> {
  let hidden = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    const isShown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
    yield [String.fromCodePoint(isShown ? byte : 256 + hidden++), byte];
  }
}
