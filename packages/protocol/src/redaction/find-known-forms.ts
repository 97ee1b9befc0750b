import { countClasses, isPlaceholder, isStandIn, rateOfChange } from './looks-like-secret.ts';
import type { Span } from './span.ts';

/** Forms that providers give their keys. What follows the prefix is long enough that a word cannot be one. */
const PREFIXED = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    'github_pat_\\w{36,}',
    'gh[pousr]_[A-Za-z0-9]{30,}',
    'gl(?:pat|dt|ptt|rt|soat|cbt)-[\\w-]{18,}',
    'xox[abeoprs]-[A-Za-z0-9-]{12,}',
    'xapp-\\d-[A-Za-z0-9-]{12,}',
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])',
    'AIza[\\w-]{35}',
    'ya29\\.[\\w-]{20,}',
    'GOCSPX-[\\w-]{20,}',
    'hf_[A-Za-z0-9]{28,}',
    'npm_[A-Za-z0-9]{36}',
    'pypi-[\\w-]{50,}',
    'do[opr]_v1_[a-f0-9]{64}',
    'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
    'SK[0-9a-f]{32}',
    '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
    'whsec_[A-Za-z0-9+/]{24,}={0,2}',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
    'dapi[a-f0-9]{32}',
    'lin_(?:api|oauth)_[A-Za-z0-9]{32,}',
    'ntn_[A-Za-z0-9]{40,}',
    'secret_[A-Za-z0-9]{40,}',
    'gsk_[A-Za-z0-9]{40,}',
    'xai-[A-Za-z0-9]{40,}',
    'r8_[A-Za-z0-9]{30,}',
    'pplx-[A-Za-z0-9]{40,}',
    'tvly-[\\w-]{20,}',
    'tml-[A-Za-z0-9]{16,}',
    'lch_[A-Za-z0-9-]+_[\\w-]{16,}',
    'hv[sbr]\\.[\\w-]{20,}',
    'dp\\.(?:pt|st|ct|sa)\\.[\\w.-]{20,}',
    'sbp_[a-f0-9]{40}',
    'NRAK-[A-Z0-9]{27}',
    'PMAK-[a-f0-9]{24}-[a-f0-9]{34}',
    'HRKU-[\\w-]{30,}',
    'AGE-SECRET-KEY-1[0-9A-Z]{58}',
    '\\d{8,10}:AA[\\w-]{32,33}(?![\\w-])',
    '[MNO][\\w-]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,}',
    'lachesis-canary-[\\w-]{4,}',
  ].join('|')})`,
  'g',
);

/** OpenAI, Anthropic, DeepSeek, OpenRouter and others. Class names of style sheets begin like it: what follows must be noise. */
const SK = /(?<![A-Za-z0-9])sk-[\w-]{16,}/g;

/** Signed and encrypted tokens. */
const JWT = /(?<![\w-])eyJ[\w-]{6,}\.(?:eyJ)?[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]+){0,2}/g;

/** A private key, also in a JSON text where the ends of lines are written out, also when its end was cut off. */
const PEM =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\r?\n|\\r\\n|\\n)[ \t]{0,8}[A-Za-z0-9+/=]{0,128}){0,400})/g;

/** `postgres://user:password@host`: the password goes, the rest says where it was. */
const USER_INFO = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>\\]{0,100}:([^\s@/"'<>\\]{3,200})@[\w.[-]/gi;

const WEBHOOK =
  /hooks\.slack\.com\/services\/(T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]{10,})|discord(?:app)?\.com\/api\/webhooks\/(\d+\/[\w-]{20,})/g;

/** `Bearer …` and `Basic …` wherever they stand. */
const SCHEME = /(?<![A-Za-z])(?:bearer|basic|token)[ \t]+([A-Za-z0-9._~+/=-]{12,})/gi;

/** A header that carries a credential, as curl, logs and raw requests write it; to the end of the value. */
const HEADER =
  /(?<![A-Za-z])(?:proxy-)?authorization["'\\]{0,4}\s{0,4}[:=]\s{0,4}["'\\]{0,4}((?:[A-Za-z-]{2,20}[ \t]+)?[^\s"'\\,;]{6,})|(?<!\w)(?:set-)?cookie["'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,4}([^\r\n"'\\]{6,4000})/gi;

/** Finds secrets that say themselves what they are. */
export function findKnownForms(text: string): Span[] {
  const spans: Span[] = [];
  // Most texts hold none of the characters these forms are made of, and asking for one is far cheaper than looking.
  if (text.includes('-') || text.includes('_') || text.includes(':') || /[A-Z0-9]{16}/.test(text)) {
    for (const match of text.matchAll(PREFIXED)) {
      spans.push(whole(match, match[0].startsWith('lachesis-canary') ? 'canary' : 'api-key'));
    }
  }
  if (text.includes('sk-')) {
    for (const match of text.matchAll(SK)) if (isNoise(match[0].slice(3))) spans.push(whole(match, 'api-key'));
  }
  if (text.includes('eyJ')) for (const match of text.matchAll(JWT)) spans.push(whole(match, 'jwt'));
  if (text.includes('PRIVATE KEY')) for (const match of text.matchAll(PEM)) spans.push(whole(match, 'private-key'));
  if (text.includes('://') && text.includes('@')) {
    for (const match of text.matchAll(USER_INFO))
      if (!isStandIn(match[1] ?? '') && !isPlaceholder(match[1] ?? '')) spans.push(group(match, 'password'));
  }
  if (text.includes('/services/') || text.includes('/webhooks/')) {
    for (const match of text.matchAll(WEBHOOK)) spans.push(group(match, 'webhook'));
  }
  for (const match of text.matchAll(SCHEME)) {
    if (/\d/.test(match[1] ?? '') || rateOfChange(match[1] ?? '') > 0.3) spans.push(group(match, 'authorization'));
  }
  if (/authorization|cookie/i.test(text)) {
    for (const match of text.matchAll(HEADER)) if (isHeaderValue(match)) spans.push(group(match, 'authorization'));
  }
  return spans;
}

const whole = (match: RegExpExecArray, kind: string): Span => ({
  start: match.index,
  end: match.index + match[0].length,
  kind,
});

function group(match: RegExpExecArray, kind: string): Span {
  const value = match.slice(1).find((part) => part !== undefined) ?? match[0];
  const start = match.index + match[0].lastIndexOf(value);
  return { start, end: start + value.length, kind };
}

const isNoise = (body: string): boolean =>
  /\d/.test(body) && (countClasses(body) === 3 || (body.length >= 24 && rateOfChange(body) > 0.25));

/** A page about headers says `Authorization: required`; a header has a digit, a pair or a scheme in it. */
function isHeaderValue(match: RegExpExecArray): boolean {
  const value = match[1] ?? match[2] ?? '';
  if (/^\[redacted|^[$<{*]|^\w+ +[$<{*]|^\w+[(.]/.test(value)) return false;
  return match[2] === undefined ? /\d/.test(value) : /^[\w.-]+=[^\s;]/.test(value);
}
