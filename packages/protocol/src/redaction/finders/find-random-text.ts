import { decodeBase64 } from './decode-text.ts';
import { countClasses, entropyOf, rateOfChange } from './looks-like-secret.ts';
import { countLines, findPieces } from '../pieces.ts';
import type { FindSpans, Span } from '../span.ts';

export interface RandomTextOptions {
  /** Shorter pieces are ids and words. Default 32. */
  minLength?: number | undefined;
  /** Longer pieces are files: images, archives. Default 512. */
  maxLength?: number | undefined;
}

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
 * digests, UUIDs, paths and identifiers are none; neither are files in base64, nor base64 that is text, which has a finder of its own.
 */
export function createRandomTextFinder({ minLength = 32, maxLength = 512 }: RandomTextOptions): FindSpans {
  return (text, before = []) => {
    const spans: Span[] = [];
    const pieces = findPieces(text);
    const known = new Set(pieces.length === 0 ? [] : before.map((span) => span.start));
    for (let at = 0; at < pieces.length;) {
      const lines = countLines(text, pieces, at);
      // A file in base64, line by line: an attachment, an image, a certificate.
      if (lines >= LEAST_LINES) {
        at += lines;
        continue;
      }
      const { start, end } = pieces[at] ?? { start: 0, end: 0 };
      at += 1;
      if (end - start < minLength || end - start > maxLength || known.has(start)) continue;
      const piece = text.slice(start, end);
      if (PUBLIC_START.test(piece) || isPartOfDigest(text, start) || UUID.test(piece)) continue;
      if (!isRandom(piece, minLength) || decodeBase64(piece) !== undefined) continue;
      spans.push({ start, end, kind: 'random' });
    }
    return spans;
  };
}

/** So many lines of one length, and a last that may be shorter, are a file. */
const LEAST_LINES = 4;

/** `sha512-…` is cut in front of its dash when something is glued to it. */
const isPartOfDigest = (text: string, at: number): boolean =>
  /sha\d{1,3}[-:]$/.test(text.slice(Math.max(0, at - 7), at));

function isRandom(piece: string, minLength: number): boolean {
  if (!hasDigits(piece, 2)) return false;
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

/** Words and names have few digits, and most pieces are words. */
function hasDigits(text: string, least: number): boolean {
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57 && ++digits >= least) return true;
  }
  return false;
}
