import { RenderError } from '../errors/render-error.ts';
import type { EncodedText, Tokenizer } from '../tokenizer/tokenizer.ts';
import type { TextPiece } from './control-tokens.ts';

/**
 * Encodes the pieces of one text so that the plain ones stay text, the way `sanitize_control_tokens` of transformers does.
 * `isContinued` when other tokens stand in front of them.
 */
export async function encodePieces(
  tokenizer: Tokenizer,
  pieces: readonly TextPiece[],
  { isContinued = false }: { isContinued?: boolean } = {},
): Promise<EncodedText> {
  const [only] = pieces;
  if (pieces.length === 1 && only?.isPlain === false && !isContinued) return tokenizer.encodeWithOffsets(only.text);
  const encoded: EncodedText[] = [];
  let offset = 0;
  for (const [index, piece] of pieces.entries()) {
    const part = await (piece.isPlain
      ? encodePlain(tokenizer, piece.text)
      : encodeLater(tokenizer, piece.text, isContinued || index > 0));
    encoded.push({
      tokens: part.tokens,
      starts: part.starts.map((at) => at + offset),
      ends: part.ends.map((at) => at + offset),
    });
    offset += Array.from(piece.text).length;
  }
  return {
    tokens: joinArrays(encoded.map(({ tokens }) => tokens)),
    starts: joinArrays(encoded.map(({ starts }) => starts)),
    ends: joinArrays(encoded.map(({ ends }) => ends)),
  };
}

async function encodePlain(tokenizer: Tokenizer, text: string): Promise<EncodedText> {
  const tokens = await encodeBehindLine((part) => tokenizer.encodeAsText(part), await tokenizer.encode('\n'), text);
  const own = tokenizer.findToken(text);
  if (own !== undefined && tokens.includes(own)) {
    throw new RenderError({
      kind: 'control-token',
      reason: `The tokenizer makes the control token ${text} even of plain text.`,
      hint: 'Take it out of the message, or allow control tokens if you wrote the message yourself.',
    });
  }
  const length = Array.from(text).length;
  // Which part of a control token's text a token covers matters to nobody: no span begins or ends inside.
  return { tokens, starts: tokens.map(() => 0), ends: tokens.map(() => length) };
}

async function encodeLater(tokenizer: Tokenizer, text: string, isLater: boolean): Promise<EncodedText> {
  if (!isLater) return tokenizer.encodeWithOffsets(text);
  const line = await tokenizer.encode('\n');
  const encoded = await tokenizer.encodeWithOffsets(`\n${text}`);
  if (!startsWith(encoded.tokens, line)) return tokenizer.encodeWithOffsets(text);
  const cut = (array: Int32Array): Int32Array => array.slice(line.length);
  return {
    tokens: cut(encoded.tokens),
    starts: cut(encoded.starts).map((at) => at - 1),
    ends: cut(encoded.ends).map((at) => at - 1),
  };
}

/** Behind a line end a tokenizer adds no space of its own, as some do at the beginning of a text. */
async function encodeBehindLine(
  encode: (text: string) => Promise<Int32Array>,
  line: Int32Array,
  text: string,
): Promise<Int32Array> {
  const tokens = await encode(`\n${text}`);
  return startsWith(tokens, line) ? tokens.slice(line.length) : encode(text);
}

export function startsWith(tokens: Int32Array, prefix: Int32Array): boolean {
  return tokens.length >= prefix.length && prefix.every((token, index) => tokens[index] === token);
}

export function joinArrays(arrays: readonly Int32Array[]): Int32Array {
  const joined = new Int32Array(arrays.reduce((length, array) => length + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    joined.set(array, at);
    at += array.length;
  }
  return joined;
}
