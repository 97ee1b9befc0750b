const DIGITS = new Uint8Array(128);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (let digit = 0; digit < ALPHABET.length; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;
DIGITS[45] = 62;
DIGITS[95] = 63;

/** Bytes give themselves away at once, by one that no text has; most pieces are no text. */
function mayHoldText(piece: string): boolean {
  for (let at = 0; at + 3 < piece.length && at < 16; at += 4) {
    const bits =
      ((DIGITS[piece.charCodeAt(at)] ?? 0) << 18) |
      ((DIGITS[piece.charCodeAt(at + 1)] ?? 0) << 12) |
      ((DIGITS[piece.charCodeAt(at + 2)] ?? 0) << 6) |
      (DIGITS[piece.charCodeAt(at + 3)] ?? 0);
    if (isControl(bits >> 16) || isControl((bits >> 8) & 255) || isControl(bits & 255)) return false;
  }
  return true;
}

/** The same to the end, and whether the bytes beyond ASCII follow each other as in UTF-8: a refusal by the decoder costs more. */
function isLikeText(standard: string): boolean {
  let following = 0;
  for (let at = 0; at + 3 < standard.length; at += 4) {
    const bits =
      ((DIGITS[standard.charCodeAt(at)] ?? 0) << 18) |
      ((DIGITS[standard.charCodeAt(at + 1)] ?? 0) << 12) |
      ((DIGITS[standard.charCodeAt(at + 2)] ?? 0) << 6) |
      (DIGITS[standard.charCodeAt(at + 3)] ?? 0);
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >> shift) & 255;
      if (byte < 128 ? following > 0 || isControl(byte) : byte < 192 ? following === 0 : following > 0 || byte > 244)
        return false;
      if (byte >= 192) following = byte < 224 ? 1 : byte < 240 ? 2 : 3;
      else if (byte >= 128) following -= 1;
    }
  }
  return true;
}

const isControl = (code: number): boolean => (code < 32 && code !== 9 && code !== 10 && code !== 13) || code === 127;

/** The text that base64 holds, or undefined where it holds bytes. */
export function decodeBase64(piece: string): string | undefined {
  if (!mayHoldText(piece)) return undefined;
  const standard = piece.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (standard.length % 4 === 1 || !isLikeText(standard)) return undefined;
  try {
    const binary = atob(standard);
    if (hasControl(binary)) return undefined;
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return decoder.decode(bytes);
  } catch {
    // Not base64, or not UTF-8: then it holds no text, which is what was asked.
    return undefined;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text that hexadecimal digits hold: printable ASCII and nothing else. */
export function decodeHex(piece: string): string | undefined {
  if (piece.length % 2 === 1) return undefined;
  let text = '';
  for (let at = 0; at < piece.length; at += 2) {
    const byte = Number.parseInt(piece.slice(at, at + 2), 16);
    if (!(byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127))) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

function hasControl(binary: string): boolean {
  for (let at = 0; at < binary.length; at += 1) if (isControl(binary.charCodeAt(at))) return true;
  return false;
}
