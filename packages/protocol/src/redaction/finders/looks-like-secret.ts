const PLACEHOLDER =
  /^(?:x{3,}|\*{3,}|\.{3,}|your[-_ ]|my[-_ ]|change[-_]?me|some(?:pass|secret|token|key|user)|\[(?:redacted|hidden|masked|filtered|secret)|example|placeholder|dummy|undefined|null|none|true|false|string|number|boolean|required|optional|process\.env|os\.environ|import\.meta|env[.(]|\$|<|%|\{\{|self\.|this\.|args\.|config\.|options\.|settings\.|request\.|req\.)/i;

/** `<your-key>`, `$TOKEN`, `process.env.KEY`: what documents and code have where the secret would be. */
export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value);

/** Of `password`. */
const LONGEST_STAND_IN = 8;

/** A scheme or a word that stands for a secret and is none. */
const STAND_IN = /^(?:bearer|basic|digest|token|password|passwd|pass|pwd|secret|key|api[-_]?key)$/i;

export const isStandIn = (value: string): boolean => value.length <= LONGEST_STAND_IN && STAND_IN.test(value);

/** Whether a value that stands beside a name of a secret reads like one: no spaces, letters and digits, no code. */
export function looksLikeCredential(value: string): boolean {
  if (value.length < 8 || !/\d/.test(value) || isPlaceholder(value) || isStandIn(value)) return false;
  return !/[\s()]/.test(value) && /[A-Za-z]/.test(value);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The same beside a doubtful name: `cache-key-17` and an id are none, `k3J9x0Qa` is. */
export function looksLikeNoise(value: string): boolean {
  if (!looksLikeCredential(value) || UUID.test(value)) return false;
  const body = value.replaceAll(/[^A-Za-z0-9]/g, '');
  const rate = rateOfChange(body);
  return (countClasses(body) === 3 && rate >= 0.3) || ((body.match(/\d/g)?.length ?? 0) >= 2 && rate >= 0.25);
}

const CLASSES = [/[a-z]/, /[A-Z]/, /\d/] as const;

/** How often neighbours are of different kinds (lower, upper, digit, other), from 0 to 1. Words change rarely, noise often. */
export function rateOfChange(text: string): number {
  let changes = 0;
  let before = kindOf(text.charCodeAt(0));
  for (let index = 1; index < text.length; index += 1) {
    const kind = kindOf(text.charCodeAt(index));
    if (kind !== before) changes += 1;
    before = kind;
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}

const counts = new Uint16Array(128);

/** Bits a character of an ASCII text, by how often each occurs in the text itself. */
export function entropyOf(text: string): number {
  counts.fill(0);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index) & 127;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let sum = 0;
  for (let code = 0; code < 128; code += 1) {
    const count = counts[code] ?? 0;
    if (count > 1) sum += count * (LOGARITHMS[count] ?? Math.log2(count));
  }
  return text.length === 0 ? 0 : Math.log2(text.length) - sum / text.length;
}

const LOGARITHMS = Float64Array.from({ length: 64 }, (_, count) => (count < 2 ? 0 : Math.log2(count)));

export const countClasses = (text: string): number => CLASSES.filter((kind) => kind.test(text)).length;

const KINDS = new Uint8Array(128).fill(4);
KINDS.fill(1, 97, 123);
KINDS.fill(2, 65, 91);
KINDS.fill(3, 48, 58);

const kindOf = (code: number): number => (code < 128 ? (KINDS[code] ?? 4) : 4);
