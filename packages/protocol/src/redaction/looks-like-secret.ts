const PLACEHOLDER =
  /^(?:x{3,}|\*{3,}|\.{3,}|your[-_ ]|my[-_ ]|change[-_]?me|example|placeholder|dummy|undefined|null|none|true|false|string|number|boolean|required|optional|process\.env|os\.environ|import\.meta|env[.(]|\$|<|%|\{\{|self\.|this\.|args\.|config\.|options\.|settings\.|request\.|req\.)/i;

/** `<your-key>`, `$TOKEN`, `process.env.KEY`: what documents and code have where the secret would be. */
export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value);

/** A scheme or a word that stands for a secret and is none. */
const STAND_IN = /^(?:bearer|basic|digest|token|password|passwd|pass|pwd|secret|key|api[-_]?key)$/i;

export const isStandIn = (value: string): boolean => STAND_IN.test(value);

/** Whether a value that stands beside a name of a secret reads like one: no spaces, letters and digits, no code. */
export function looksLikeCredential(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isStandIn(value)) return false;
  return /^[^\s()]*$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
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
  for (let index = 1; index < text.length; index += 1) {
    if (kindOf(text.charCodeAt(index)) !== kindOf(text.charCodeAt(index - 1))) changes += 1;
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}

/** Bits a character, by how often each occurs in the text itself. */
export function entropyOf(text: string): number {
  const counts = new Map<number, number>();
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

export const countClasses = (text: string): number => CLASSES.filter((kind) => kind.test(text)).length;

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}
