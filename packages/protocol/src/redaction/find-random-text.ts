import { countClasses, entropyOf, rateOfChange } from './looks-like-secret.ts';
import type { FindSpans, Span } from './span.ts';

export interface RandomTextOptions {
  /** Shorter pieces are ids and words. Default 32. */
  minLength?: number | undefined;
  /** Longer pieces are files: images, archives. Default 512. */
  maxLength?: number | undefined;
}

/** What a piece is made of: base64 in both alphabets. */
const IS_PIECE = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-') {
  IS_PIECE[character.charCodeAt(0)] = 1;
}

const EQUALS = 61;

/** Digests, public keys and content ids say what they are and are meant to be seen. */
const PUBLIC_START = /^(?:sha(?:1|224|256|384|512)[-:]|AAAA[BCE]3|Qm[1-9A-HJ-NP-Za-km-z]{44}$|baf[a-z2-7]{20})/;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Of 4 bits: the most hexadecimal digits can reach. Noise of letters and digits has more from 32 characters on. */
const LEAST_ENTROPY = 3.9;

/** English in camel case changes at one of five letters, noise of three classes at three of five. */
const LEAST_CHANGE = 0.38;

/** Noise of small letters and digits alone changes at two of five. */
const LEAST_CHANGE_OF_TWO = 0.28;

/**
 * Finds long pieces that no person and no naming rule makes: small letters, large letters and digits in no order. Hex
 * digests, UUIDs, paths and identifiers are none; neither is base64 that is text, in which the secrets are looked for.
 */
export function createRandomTextFinder(
  { minLength = 32, maxLength = 512 }: RandomTextOptions,
  inside: FindSpans,
): FindSpans {
  return (text) => {
    const spans: Span[] = [];
    for (const { start, end } of findPieces(text, minLength, maxLength)) {
      const piece = text.slice(start, end);
      if (PUBLIC_START.test(piece) || isPartOfDigest(text, start) || UUID.test(piece)) continue;
      if (!isRandom(piece, minLength)) continue;
      const hidden = decodeText(piece);
      if (hidden !== undefined && inside(hidden).length === 0) continue;
      spans.push({ start, end, kind: hidden === undefined ? 'random' : 'encoded' });
    }
    return spans;
  };
}

/** One loop over the characters: this is asked of every text that is recorded. */
function findPieces(text: string, minLength: number, maxLength: number): { start: number; end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (code < 128 && IS_PIECE[code] === 1) continue;
    if (at - start >= minLength - 2 && at > start) {
      let end = at;
      while (end - at < 2 && text.charCodeAt(end) === EQUALS) end += 1;
      if (end - start >= minLength && end - start <= maxLength) pieces.push({ start, end });
    }
    start = at + 1;
  }
  return pieces;
}

/** `sha512-…` is cut in front of its dash when something is glued to it. */
const isPartOfDigest = (text: string, at: number): boolean =>
  /sha\d{1,3}[-:]$/.test(text.slice(Math.max(0, at - 7), at));

function isRandom(piece: string, minLength: number): boolean {
  // Digests in an address or behind a prefix (`resp_677efb51…`) are as public as digests alone.
  const body = piece.replace(/=+$/, '').replaceAll(/(?<![A-Za-z0-9])[0-9a-f]{16,}(?![A-Za-z0-9])/g, '');
  if (body.length < minLength) return false;
  const parts = body.split('/');
  // A path has words between its slashes, base64 has none: then each part is looked at by itself.
  if (parts.length > 1 && parts.some((part) => /^[A-Z]?[a-z]{3,}$/.test(part))) {
    return parts.some((part) => part.length >= minLength && isRandom(part, minLength));
  }
  const longest = Math.max(...body.split(/[/_-]/).map((part) => part.length));
  if (longest < 12 || entropyOf(body) < LEAST_ENTROPY) return false;
  const classes = countClasses(body);
  const digits = body.match(/\d/g)?.length ?? 0;
  if (classes === 3) return digits >= 2 && rateOfChange(body) >= LEAST_CHANGE;
  const share = digits / body.length;
  return classes === 2 && longest >= 28 && share >= 0.12 && share <= 0.55 && rateOfChange(body) >= LEAST_CHANGE_OF_TWO;
}

/** The text that base64 holds, or undefined where it holds bytes. */
function decodeText(piece: string): string | undefined {
  const standard = piece.replaceAll('-', '+').replaceAll('_', '/');
  if (standard.replace(/=+$/, '').length % 4 === 1) return undefined;
  try {
    const bytes = Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // oxlint-disable-next-line no-control-regex -- control characters are how bytes are told from text
    return /[\u0000-\u0008\u000e-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    // Not base64, or not UTF-8: then it holds no text, which is what was asked.
    return undefined;
  }
}
