import { isPlaceholder, isStandIn, looksLikeCredential, looksLikeNoise } from './looks-like-secret.ts';
import { judgeName } from './secret-names.ts';
import { isMark, type Span } from './span.ts';

/** The key of a JSON object with the beginning of its text value, also inside a JSON text inside a JSON text. */
const JSON_KEY = /(?<slashes>\\{0,7})"(?<name>[\w .-]{2,60})\k<slashes>"\s{0,8}:\s{0,8}\k<slashes>"/g;

/** How names of secrets end. The end is looked for, since looking for any name at all would be looking at every word. */
const ENDINGS =
  'key|secret|passw(?:or)?d|passphrase|passcode|pwd|pass|token|auth|authorization|cookie|credentials?|connection[_-]?string|signature|sig|jwt|dsn';

/** `name = value`, `name: value`, `--name value`, `name=value&`; a quote may open the value. */
const ASSIGNMENT = new RegExp(
  `(?:${ENDINGS})(?<between>["'\\\\]{0,4}(?:\\s{0,4}(?:=>|:=|[:=])\\s{0,4}|[ \\t]))(?<quote>\\\\{0,3}["'\`])?(?<value>[^\\s"'\`\\\\,;&<>(){}[\\]|]{4,500})`,
  'gi',
);

const HINT = new RegExp(ENDINGS, 'i');

/** Finds values that are secret because of the name they stand beside. */
export function findNamedValues(text: string): Span[] {
  if (!HINT.test(text)) return [];
  return [...findJsonValues(text), ...findAssignments(text)];
}

function findJsonValues(text: string): Span[] {
  const spans: Span[] = [];
  if (!text.includes('":') && !text.includes('" :')) return spans;
  for (const match of text.matchAll(JSON_KEY)) {
    const { slashes = '', name = '' } = match.groups ?? {};
    const verdict = judgeName(name);
    if (verdict === 'plain') continue;
    const start = match.index + match[0].length;
    const end = endOfText(text, start, slashes.length);
    const value = text.slice(start, end);
    if (isSecretValue(verdict, value)) spans.push({ start, end, kind: 'named' });
  }
  return spans;
}

/**
 * Where a JSON text ends whose quotes have so many backslashes before them. A quote inside it has more of them; an even
 * share of the larger number is escaped backslashes and then the end.
 */
function endOfText(text: string, from: number, slashes: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = 0;
    while (at - before > from && text[at - before - 1] === '\\') before += 1;
    if (before < slashes || before % (2 * (slashes + 1)) === slashes) return at - Math.min(before, slashes);
  }
  return text.length;
}

function findAssignments(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const { between = '', quote, value = '' } = match.groups ?? {};
    const end = match.index + match[0].length;
    const name = nameUpTo(text, end - value.length - (quote?.length ?? 0) - between.length);
    // A blank alone assigns on a command line: `--password …`.
    if (!/[:=]/.test(between) && !name.startsWith('--')) continue;
    const verdict = judgeName(name);
    if (verdict === 'plain' || isNamesake(name, value)) continue;
    // Unquoted, the right side of a secret name is more often code (`token = encode(text)`) than the secret itself.
    const isSecret =
      verdict === 'secret' && quote !== undefined
        ? value.length >= 6 && isSecretValue('secret', value)
        : (verdict === 'secret' ? looksLikeCredential(value) : looksLikeNoise(value)) &&
          (quote !== undefined || !isCode(text, end, value));
    if (isSecret) spans.push({ start: end - value.length, end, kind: 'named' });
  }
  return spans;
}

const LONGEST_NAME = 60;

/** The whole name, of which the ending is known: `GITHUB_TOKEN`, `--db-password`. */
function nameUpTo(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < LONGEST_NAME && /[\w.-]/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start, end);
}

/** A call, an index, a path of names or a type: `next(tokens2)`, `keys2[0]`, `opts.auth2.token`, `Uint8Array`. */
const isCode = (text: string, end: number, value: string): boolean =>
  text[end] === '(' ||
  text[end] === '[' ||
  text[end] === '<' ||
  /^[A-Za-z_$]\w*(?:\.[A-Za-z_$]\w*)+$/.test(value) ||
  /^(?:[A-Z][a-z]*)+\d{0,3}(?:[A-Z][a-z]+)+$/.test(value);

/** `api_key: 'api_key'`, as in every second page about an API. */
const isNamesake = (name: string, value: string): boolean =>
  plain(value).length > 0 && plain(name).endsWith(plain(value));

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Whether what stands under a name is to be taken out. Empty texts and what stands for a secret are not. */
export function isSecretValue(verdict: 'secret' | 'doubtful', value: string): boolean {
  if (value.length === 0 || isMark(value)) return false;
  return verdict === 'secret' ? !isPlaceholder(value) && !isStandIn(value) : looksLikeNoise(value);
}
