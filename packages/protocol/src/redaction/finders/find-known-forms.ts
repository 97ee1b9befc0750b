import { createWordFinder } from './find-by-word.ts';
import { commandReader } from './find-in-commands.ts';
import { knownFormRules } from './known-form-rules.ts';
import { isPlaceholder, isStandIn } from './looks-like-secret.ts';
import { providerKeyRules } from './provider-keys.ts';
import { isMark, type Span } from '../span.ts';

/** Signed and encrypted tokens. */
const JWT = /(?<![\w-])eyJ[\w-]{6,4000}\.(?:eyJ)?[\w-]{6,8000}\.[\w-]{6,4000}(?:\.[\w-]{1,4000}){0,2}/g;

/** A private key, also in a JSON text where the ends of lines are written out, also when its end was cut off. */
const PEM_START = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_LINES = /(?:(?:\r?\n|\\r\\n|\\{1,3}n)[ \t>|#]{0,8}[A-Za-z0-9+/=]{0,128}){0,400}/y;
const LONGEST_PEM = 20_000;

/** What follows `://` up to the host: `me:password@`. */
const USER_INFO = /:\/\/([^\s:@/"'<>\\]{0,100}):([^\s@/"'<>\\]{3,200})@[\w.[-]/y;

/** A token alone before the host: `https://ghp_…@github.com`, `https://<32 hex>@sentry.io`. */
const USER_TOKEN = /:\/\/([\w.~-]{20,200})@[\w.[-]/y;

const WEBHOOK =
  /(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2|hooks\.zapier\.com\/hooks\/catch|chat\.googleapis\.com\/v1\/spaces|maker\.ifttt\.com\/trigger|oapi\.dingtalk\.com\/robot|open\.feishu\.cn\/open-apis\/bot)\/([\w@/?=&.%-]{12,400})/g;

/** Of which code has none: paths with these words in them are everywhere. */
const WEBHOOK_PATH =
  /\.c(?:om|n)\/(?:services|workflows|triggers?|api\/webhooks|webhookb2|hooks\/catch|v1\/spaces|robot|open-apis\/bot)\//;

/** Client secrets of Azure, passwords of applications, and signatures in addresses. */
const AZURE = /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,40}/g;
const APP_PASSWORD = /(?<![a-z])[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4}(?![a-z ])/g;

/** `.pgpass`: five fields, of which the last is the password. */
const PGPASS = /^(?:[\w.-]{1,100}|\*):(?:\d{2,5}|\*):(?:[\w-]{1,60}|\*):[\w-]{1,60}:([^\s:]{4,200})$/gm;

/** `<password>…</password>`, and `key="Password" value="…"`. */
const ELEMENT =
  /<([\w:.-]{0,30}(?:password|passwd|secret|token|api-?key|passphrase|private-?key)[\w:.-]{0,10})(?:\s[^<>]{0,100})?>([^<>\s][^<>\n]{2,400})<\//gi;
const ATTRIBUTE = /(?:key|name)=["']([\w:.-]{2,60})["']\s{1,4}value=["']([^"'\n]{4,400})["']/gi;
const SECRET_NAME = /pass|secret|token|api-?key|credential|connection/i;

const findWords = createWordFinder([...providerKeyRules, ...knownFormRules, commandReader]);

/** Finds secrets that say themselves what they are. */
export function findKnownForms(text: string): Span[] {
  const spans = findWords(text);
  if (text.includes('eyJ')) for (const match of text.matchAll(JWT)) spans.push(whole(match, 'jwt'));
  if (text.includes('PRIVATE KEY')) spans.push(...findPrivateKeys(text));
  if (text.includes('://')) spans.push(...findUserInfo(text));
  if (WEBHOOK_PATH.test(text)) {
    for (const match of text.matchAll(WEBHOOK)) if (/\d/.test(match[1] ?? '')) spans.push(last(match, 'webhook'));
  }
  if (text.includes('Q~')) for (const match of text.matchAll(AZURE)) spans.push(whole(match, 'api-key'));
  if (/:(?:\d{2,5}|\*):/.test(text)) for (const match of text.matchAll(PGPASS)) pushGiven(spans, match, 'password');
  if (text.includes('</')) for (const match of text.matchAll(ELEMENT)) pushGiven(spans, match, 'named');
  if (/value=["']/.test(text)) {
    for (const match of text.matchAll(ATTRIBUTE))
      if (SECRET_NAME.test(match[1] ?? '')) pushGiven(spans, match, 'named');
  }
  if (text.includes('app password') || text.includes('App password') || text.includes('App Password')) {
    for (const match of text.matchAll(APP_PASSWORD)) spans.push(whole(match, 'password'));
  }
  return spans;
}

function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  let readTo = 0;
  for (const { 0: start, index } of text.matchAll(PEM_START)) {
    if (index < readTo) continue;
    const from = index + start.length;
    readTo = endOfPrivateKey(text, from);
    spans.push({ start: index, end: readTo, kind: 'private-key' });
  }
  return spans;
}

function endOfPrivateKey(text: string, from: number): number {
  const dashes = text.indexOf('-----', from);
  if (dashes !== -1 && dashes - from <= LONGEST_PEM) {
    PEM_END.lastIndex = dashes;
    const end = PEM_END.exec(text);
    if (end !== null) return dashes + end[0].length;
  }
  PEM_LINES.lastIndex = from;
  return from + (PEM_LINES.exec(text)?.[0].length ?? 0);
}

/** `postgres://user:password@host`: the password goes, the rest says where it was. */
function findUserInfo(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    if (!/[a-z0-9+.-]/i.test(text[at - 1] ?? ' ')) continue;
    USER_INFO.lastIndex = at;
    const pair = USER_INFO.exec(text);
    if (pair !== null) {
      pushGiven(spans, pair, 'password');
      // `https://<token>:x-oauth-basic@host` has it in front.
      const name = pair[1] ?? '';
      if (name.length >= 20 && /\d/.test(name))
        spans.push({ start: at + 3, end: at + 3 + name.length, kind: 'password' });
      continue;
    }
    USER_TOKEN.lastIndex = at;
    const token = USER_TOKEN.exec(text);
    if (token !== null && /\d/.test(token[1] ?? '')) spans.push(last(token, 'password'));
  }
  return spans;
}

function pushGiven(spans: Span[], match: RegExpExecArray, kind: string): void {
  const value = match.at(-1) ?? '';
  if (!isStandIn(value) && !isPlaceholder(value) && !isMark(value)) spans.push(last(match, kind));
}

const whole = (match: RegExpExecArray, kind: string): Span => ({
  start: match.index,
  end: match.index + match[0].length,
  kind,
});

/** The last group. */
function last(match: RegExpExecArray, kind: string): Span {
  const value = match.at(-1) ?? match[0];
  const start = match.index + match[0].lastIndexOf(value);
  return { start, end: start + value.length, kind };
}
