import { isPlaceholder, isStandIn, looksLikeCredential, looksLikeNoise } from './looks-like-secret.ts';
import { judgeName, mayEndSecretName, type NameVerdict } from './secret-names.ts';
import { isMark, type Span } from '../span.ts';

const [QUOTE, DASH, EQUALS] = [34, 45, 61] as const;

/**
 * Where something is assigned or an option begins: a dash inside a word, a rule or a list of dashes begins none. A pattern
 * passes over the rest of a text several times as quickly as a loop.
 */
const ASSIGNS = /[=:]|-(?<=(?:^|[ \n\t"'`])-)(?=-?[A-Za-z])/g;

/** What stands between a name and its value: `=`, `:`, `=>`, `:=`, `==`; then a quote, escaped or not, may open the value. */
const OPERATOR = /(?:=>|:=|={1,3}|:)[ \t]{0,8}(?:\r?\n[ \t]{1,12})?(?:[|>][-+]?[ \t]{0,2}\r?\n[ \t]{1,12})?/y;
const OPENING = /(?:[rbfu]{1,2}(?=["']))?(\\{0,7})(["'`])/y;

/** An unquoted value ends at a blank and where code, JSON, queries and lists go on. */
const UNQUOTED = /[^\s"'`\\,;&<>(){}[\]|]{4,500}/y;

/** Alone on its line, as `.env` files, shells and YAML have it, it ends with the line or at a blank. */
const LINE_VALUE = /[^\s"'`\\(){}[\]<>]{4,500}(?=[ \t]{0,4}(?:#[^\n]{0,200})?(?:\r?\n|$|\\r|\\n))/y;

/** `--password …` and `-Password …`. */
const OPTION = /-{1,2}([A-Za-z][\w-]{1,60})[ \t]{1,4}(\\{0,3}["'])?([^\s"'`\\,;&<>(){}[\]|]{4,500})/y;

/** A quoted value longer than this is cut: no secret is, but a key file, which has a form of its own. */
const LONGEST_QUOTED = 20_000;
const LONGEST_DOUBTFUL = 300;
const LONGEST_NAME = 60;

/** Finds values that are secret because of the name they stand beside. One loop: names are looked at where something is assigned. */
export function findNamedValues(text: string): Span[] {
  const spans: Span[] = [];
  ASSIGNS.lastIndex = 0;
  while (ASSIGNS.test(text)) {
    // What it fits is one character long.
    const at = ASSIGNS.lastIndex - 1;
    const span = text.charCodeAt(at) === DASH ? readOption(text, at) : readAssignment(text, at);
    if (span === undefined) continue;
    spans.push(span);
    ASSIGNS.lastIndex = Math.max(at + 1, span.end);
  }
  return spans;
}

function readOption(text: string, at: number): Span | undefined {
  OPTION.lastIndex = at;
  const match = OPTION.exec(text);
  if (match === null) return undefined;
  const [whole, name = '', quote, value = ''] = match;
  const verdict = judgeName(name);
  const end = at + whole.length;
  if (
    verdict === 'plain' ||
    !isAssigned({ text, name, verdict, value, end, isQuoted: quote !== undefined, isLine: false })
  )
    return undefined;
  return { start: end - value.length, end, kind: 'named' };
}

function readAssignment(text: string, at: number): Span | undefined {
  const name = nameBefore(text, at);
  if (name === undefined) return undefined;
  const verdict = judgeName(name);
  if (verdict === 'plain') return undefined;
  OPERATOR.lastIndex = at;
  const from = OPERATOR.test(text) ? OPERATOR.lastIndex : at + 1;
  const first = text.charCodeAt(from);
  OPENING.lastIndex = from;
  const opening = first < 128 && IS_OPENING[first] === 1 ? OPENING.exec(text) : null;
  if (opening !== null) return readQuoted(text, { name, verdict, from, opening });
  // No value begins with one of these; a bracket also begins the mark of an earlier pass.
  if (Number.isNaN(first) || (first < 128 && IS_NO_VALUE[first] === 1) || text[from - 1] === '>') return undefined;
  const isLine = verdict === 'secret' && isAtLineStart(text, at);
  const pattern = isLine ? LINE_VALUE : UNQUOTED;
  pattern.lastIndex = from;
  const value = pattern.test(text) ? text.slice(from, pattern.lastIndex) : isLine ? plainValue(text, from) : '';
  const end = from + value.length;
  if (!isAssigned({ text, name, verdict, value, end, isQuoted: false, isLine })) return undefined;
  return { start: from, end, kind: 'named' };
}

function plainValue(text: string, from: number): string {
  UNQUOTED.lastIndex = from;
  return UNQUOTED.test(text) ? text.slice(from, UNQUOTED.lastIndex) : '';
}

const IS_OPENING = new Uint8Array(128);
for (const character of 'rbfu\\"\'`') IS_OPENING[character.charCodeAt(0)] = 1;

const IS_NO_VALUE = new Uint8Array(128);
for (const character of '/(){}[]<> \t\r\n"\'`\\') IS_NO_VALUE[character.charCodeAt(0)] = 1;

interface Quoted {
  name: string;
  verdict: Exclude<NameVerdict, 'plain'>;
  from: number;
  opening: RegExpExecArray;
}

function readQuoted(text: string, { name, verdict, from, opening }: Quoted): Span | undefined {
  const [whole, slashes = '', quote = '"'] = opening;
  const start = from + whole.length;
  const limit = start + (verdict === 'secret' ? LONGEST_QUOTED : LONGEST_DOUBTFUL);
  const end = endOfQuoted(text, start, { slashes: slashes.length, quote, limit });
  const value = text.slice(start, end);
  if (isNamesake(name, value)) return undefined;
  // Code and pages quote words and sentences beside such names; JSON quotes everything, with the double quote.
  const isJson = quote === '"' && text[from - 1] !== '=' && text.charCodeAt(from - 1) !== EQUALS;
  const isSecret =
    isSecretValue(verdict, value) && (isJson || (value.length >= 6 && (!/\s/.test(value) || isShellName(name))));
  return isSecret ? { start, end, kind: 'named' } : undefined;
}

/**
 * Where a quoted text ends whose quotes have so many backslashes before them. A quote inside it has more of them; an
 * even share of the larger number is escaped backslashes and then the end.
 */
function endOfQuoted(
  text: string,
  from: number,
  { slashes, quote, limit }: { slashes: number; quote: string; limit: number },
): number {
  const last = Math.min(text.length, limit);
  let before = 0;
  for (let at = from; at < last; at += 1) {
    const character = text[at];
    if (character === '\\') before += 1;
    else {
      if (character === quote && (before < slashes || before % (2 * (slashes + 1)) === slashes))
        return at - Math.min(before, slashes);
      // The quotes of code end with their line.
      if (character === '\n' && quote !== '"' && quote !== '`') return at;
      before = 0;
    }
  }
  return last;
}

interface Assigned {
  text: string;
  name: string;
  verdict: Exclude<NameVerdict, 'plain'>;
  value: string;
  end: number;
  isQuoted: boolean;
  /** Name and value are a line by themselves. */
  isLine: boolean;
}

function isAssigned({ text, name, verdict, value, end, isQuoted, isLine }: Assigned): boolean {
  if (value.length < 4 || isMark(value) || isNamesake(name, value)) return false;
  if (isQuoted && verdict === 'secret') return value.length >= 6 && isSecretValue('secret', value);
  // Unquoted, the right side of a secret name is more often code (`token = encode(text)`) than the secret itself.
  if (verdict === 'doubtful' && !looksLikeNoise(value)) return false;
  if (!isQuoted && isCode(text, end, value)) return false;
  if (verdict === 'doubtful') return true;
  return looksLikeCredential(value) || (isLine && isWordOnLine(name, value));
}

/** `DB_PASSWORD=correcthorse`: in capitals and without blanks it is a shell's or an `.env` file's, where words are values. */
const isWordOnLine = (name: string, value: string): boolean =>
  isShellName(name) && value.length >= 6 && !isPlaceholder(value) && !isStandIn(value) && !/[()${}<>]/.test(value);

const isShellName = (name: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(name);

/** Whether only `export`, `set`, `ENV`, `-e` or indentation stand before the name on its line. */
function isAtLineStart(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && at - start < LONGEST_NAME && IS_NAME[text.charCodeAt(start - 1)] === 1) start -= 1;
  const line = text.slice(Math.max(0, start - 24), start);
  return (
    /(?:(?:^|\n|\\n)[ \t]{0,12}(?:-[ \t]{1,2})?|(?:^|[\s"'])(?:export|set|setx|ENV|ARG|-e|declare -x)[ \t]{1,2})$/.test(
      line,
    ) && !line.endsWith('\\')
  );
}

const IS_NAME = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) IS_NAME[code] = /[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0;

const IS_BETWEEN = new Uint8Array(128);
for (const character of ' \t?!]"\'`\\') IS_BETWEEN[character.charCodeAt(0)] = 1;
const MOST_BETWEEN = 12;

const TYPE = /:[ \t]{0,2}(?:str|string|String|bytes|SecretStr)$/;

/** The name that something is assigned to: `GITHUB_TOKEN`, `config["password"]`, `"client secret"`, `password: str`. */
function nameBefore(text: string, at: number): string | undefined {
  // `?:` of a type, `]` of an index, the quotes of a key.
  let end = at;
  let hasQuote = false;
  for (let code = text.charCodeAt(end - 1); at - end < MOST_BETWEEN && IS_BETWEEN[code] === 1;) {
    hasQuote ||= code === QUOTE;
    end -= 1;
    code = text.charCodeAt(end - 1);
  }
  const last = text.charCodeAt(end - 1);
  // Of `str`, `string` and `bytes`.
  const mayBeType = (last === 103 || last === 114 || last === 115) && text.charCodeAt(at) === EQUALS;
  if (mayBeType && TYPE.test(text.slice(Math.max(0, end - 16), end)))
    return nameBefore(text, text.lastIndexOf(':', end));
  if (!mayEndSecretName(text.charCodeAt(end - 2), last)) return undefined;
  let start = end;
  while (start > 0 && end - start < LONGEST_NAME) {
    const code = text.charCodeAt(start - 1);
    // In a key of JSON blanks are part of the name.
    if (code < 128 ? IS_NAME[code] === 1 || (hasQuote && code === 32) : code > 191 && code < 592) start -= 1;
    else break;
  }
  if (start === end) return undefined;
  // A table has the same name again and again, and what is known of it is found by the same text more quickly.
  if (lastName.length !== end - start || !text.startsWith(lastName, start)) lastName = text.slice(start, end);
  return lastName;
}

let lastName = '';

/** A call, an index, a path of names or a type: `next(tokens2)`, `keys2[0]`, `opts.auth2.token`, `Uint8Array`. */
const isCode = (text: string, end: number, value: string): boolean =>
  text[end] === '(' ||
  text[end] === '[' ||
  text[end] === '<' ||
  (/[.?!]/.test(value) && /^[A-Za-z_$][\w$]*(?:[.?!]{1,3}[A-Za-z_$][\w$]*)+$/.test(value)) ||
  isTypeName(value);

/** Each part looks at every character once, whatever the value. */
const isTypeName = (value: string): boolean =>
  /^[A-Z][a-z]*[A-Z0-9]/.test(value) &&
  /[a-z]$/.test(value) &&
  /^[A-Z][A-Za-z]*(?:\d{1,3}[A-Z][A-Za-z]*)?$/.test(value);

/** `api_key: 'api_key'`, as in every second page about an API: the same letters and digits, from the end. */
function isNamesake(name: string, value: string): boolean {
  if (value.length > name.length + 8) return false;
  let [at, matched] = [name.length - 1, 0];
  for (let place = value.length - 1; place >= 0; place -= 1) {
    const code = plainCode(value, place);
    if (code === 0) continue;
    while (at >= 0 && plainCode(name, at) === 0) at -= 1;
    if (at < 0 || plainCode(name, at) !== code) return false;
    at -= 1;
    matched += 1;
  }
  return matched > 0;
}

/** A letter in lower case or a digit; 0 for anything else. */
function plainCode(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 48 && code <= 57) return code;
  return (code | 32) >= 97 && (code | 32) <= 122 ? code | 32 : 0;
}

/** Whether what stands under a name is to be taken out. Empty texts and what stands for a secret are not. */
export function isSecretValue(verdict: 'secret' | 'doubtful', value: string): boolean {
  if (value.length === 0 || isMark(value)) return false;
  return verdict === 'secret' ? !isPlaceholder(value) && !isStandIn(value) : looksLikeNoise(value);
}
