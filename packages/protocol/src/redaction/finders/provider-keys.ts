import type { WordRule } from './find-by-word.ts';
import { countClasses, rateOfChange } from './looks-like-secret.ts';

type Form = readonly [starts: string, rest: string, mustBeNoise?: 'noise'];

/** Beginnings that providers give their keys, and what follows: long enough that a word cannot be one. */
const FORMS: readonly Form[] = [
  ['github_pat_', '\\w{36,}'],
  ['ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{30,}'],
  ['glpat- gldt- glptt- glrt- glsoat- glcbt- glft- glimt- glagent- gloas- glffct- glwt-', '[\\w.-]{18,}'],
  ['xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-', '[A-Za-z0-9%-]{12,}'],
  ['xoxe.xoxb- xoxe.xoxp-', '[A-Za-z0-9-]{12,}'],
  ['xapp-', '\\d-[A-Za-z0-9-]{12,}'],
  ['AKIA ASIA ABIA ACCA', '[A-Z2-7]{16}(?![A-Za-z0-9])'],
  ['bedrock-api-key-', '[A-Za-z0-9+/=]{20,}'],
  ['ABSK', '[A-Za-z0-9+/]{100,}={0,2}'],
  ['AIza', '[\\w-]{35}'],
  ['ya29.', '[\\w.-]{20,}'],
  ['1//0', '[\\w-]{30,}'],
  ['GOCSPX-', '[\\w-]{20,}'],
  ['hf_', '[A-Za-z0-9]{28,}'],
  ['api_org_', '[A-Za-z]{34}'],
  ['npm_', '[A-Za-z0-9]{36}'],
  ['pypi-', '[\\w-]{50,}'],
  ['rubygems_', '[a-f0-9]{48}'],
  ['cio', '[A-Za-z0-9]{32}(?![A-Za-z0-9])', 'noise'],
  ['dckr_pat_ dckr_oat_', '[\\w-]{20,}'],
  ['doo_v1_ dop_v1_ dor_v1_', '[a-f0-9]{64}'],
  ['SG.', '[\\w-]{16,64}\\.[\\w-]{16,64}'],
  ['SK', '[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_', '[A-Za-z0-9]{16,}'],
  ['whsec_', '[A-Za-z0-9+/]{24,}={0,2}'],
  ['shpat_ shpca_ shppa_ shpss_', '[a-fA-F0-9]{32}'],
  ['sq0atp- sq0csp-', '[\\w-]{22,}'],
  ['EAAA', '[\\w-]{60}(?![\\w-])', 'noise'],
  ['access_token$production$', '[a-z0-9]{16}\\$[a-f0-9]{32}'],
  ['dapi', '[a-f0-9]{32}(?:-\\d)?'],
  ['dose', '[a-f0-9]{32}(?:-\\d)?'],
  ['lin_api_ lin_oauth_', '[A-Za-z0-9]{32,}'],
  ['ntn_ secret_ gsk_ xai- pplx- csk- fw_', '[A-Za-z0-9]{40,}'],
  ['r8_', '[A-Za-z0-9]{30,}'],
  ['nvapi-', '[\\w-]{40,}'],
  ['tgp_v1_', '[\\w-]{30,}'],
  ['tvly-', '[\\w-]{20,}'],
  ['tml-', '[A-Za-z0-9]{16,}'],
  ['fc-', '[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['e2b_', '[a-f0-9]{40}'],
  ['jina_', '[A-Za-z0-9_-]{40,}'],
  ['pa-', '[\\w-]{43}(?![\\w-])', 'noise'],
  ['pcsk_', '[\\w-]{40,}'],
  ['lsv2_pt_ lsv2_sk_', '[a-f0-9]{32}_[a-f0-9]{10}'],
  ['sk-lf- pk-lf-', '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}'],
  ['phx_ phs_', '[A-Za-z0-9]{40,}'],
  ['lch_', '[A-Za-z0-9-]+_[\\w-]{16,}'],
  ['hvs. hvb. hvr.', '[\\w-]{20,}'],
  ['s.', '[A-Za-z0-9]{24}(?![\\w.])', 'noise'],
  ['dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', '[\\w.-]{20,}'],
  ['ops_eyJ', '[\\w-]{50,}'],
  ['sbp_', '[a-f0-9]{40}'],
  ['sb_secret_', '[\\w-]{20,}'],
  ['NRAK- NRJS- NRAA-', '[A-Za-z0-9]{19,}'],
  ['PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['HRKU-', '[\\w-]{30,}'],
  ['AGE-SECRET-KEY-1', '[0-9A-Z]{58}'],
  ['glsa_', '[A-Za-z0-9]{32}_[a-f0-9]{8}'],
  ['glc_', '[A-Za-z0-9+/]{32,}={0,2}'],
  ['sntrys_', '[\\w=+/-]{40,}'],
  ['sntryu_', '[a-f0-9]{64}'],
  ['pul-', '[a-f0-9]{40}'],
  ['pscale_tkn_ pscale_pw_ pscale_oauth_', '[\\w.=-]{32,}'],
  ['tskey-', '[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{16,}'],
  ['figd_ figo_', '[\\w-]{40,}'],
  ['ATATT3xFf', '[\\w=-]{60,}'],
  ['ATCTT3xFf', '[\\w=-]{60,}'],
  ['ATBB', '[A-Za-z0-9]{32}(?![A-Za-z0-9])', 'noise'],
  ['CFPAT-', '[\\w-]{40,}'],
  ['fm2_ fo1_', '[A-Za-z0-9+/=_-]{40,}'],
  ['xkeysib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  ['key-', '[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['re_', '[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}', 'noise'],
  ['mlsn.', '[a-f0-9]{64}'],
  ['EZAK EZTK', '[A-Za-z0-9]{54}'],
  ['shippo_live_ shippo_test_', '[a-f0-9]{40}'],
  ['rdme_', '[a-z0-9]{70}'],
  ['sgp_', '(?:[a-f0-9]{16}_)?[a-f0-9]{40}'],
  ['sl.', '(?:u\\.)?[\\w-]{60,}', 'noise'],
  ['patt', '[A-Za-z0-9]{13}\\.[a-f0-9]{64}'],
  ['pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['CLOJARS_', '[a-z0-9]{60}'],
  ['oy2', '[a-z0-9]{43}(?![a-z0-9])', 'noise'],
  ['NPAT- cfut_ cfat_ v1.0-', '[\\w-]{40,}'],
  ['bkua_', '[a-z0-9]{40}'],
  ['CCIPAT_ CCIPRJ_', '[\\w-]{40,}'],
  ['LTAI', '[A-Za-z0-9]{17,21}(?![A-Za-z0-9])', 'noise'],
  ['AKID', '[A-Za-z0-9]{32}(?![A-Za-z0-9])', 'noise'],
  ['ddp_', '[A-Za-z0-9]{36}'],
  ['nfp_ nfo_ nfc_', '[A-Za-z0-9]{36,}'],
  ['vcp_ vck_ vca_', '[A-Za-z0-9]{40,}'],
  ['rpa_', '[A-Z0-9]{30,}'],
  ['ak-', '[A-Za-z0-9]{22}(?![A-Za-z0-9])', 'noise'],
  ['as-', '[A-Za-z0-9]{22}(?![A-Za-z0-9])', 'noise'],
];

/** Noise, not the words of a style sheet or of a list. */
const isNoise = (body: string): boolean =>
  /\d/.test(body) && (countClasses(body) === 3 || (body.length >= 24 && rateOfChange(body) > 0.25));

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\]^{|}/-]/g, '\\$&');

function toRule([starts, rest, mustBeNoise]: Form): WordRule {
  const list = starts.split(' ');
  const pattern = new RegExp(`(?:${list.map(escape).join('|')})${rest}`, 'y');
  return { starts: list, pattern, kind: 'api-key', ...(mustBeNoise === undefined ? {} : { accept: isNoise }) };
}

/** Keys that say themselves whose they are. */
export const providerKeyRules: readonly WordRule[] = [
  ...FORMS.map(toRule),
  // OpenAI, Anthropic, DeepSeek, OpenRouter and others.
  { starts: ['sk-'], pattern: /sk-[\w-]{16,}/y, kind: 'api-key', accept: (value) => isNoise(value.slice(3)) },
  // Telegram: a number of its own, a colon, and 35 characters.
  {
    starts: Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0')),
    pattern: /\d{8,10}:AA[\w-]{32,33}(?![\w-])/y,
    kind: 'api-key',
  },
  // Discord.
  {
    starts: ['M', 'N', 'O'].flatMap((first) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_'.split('').map((second) => first + second),
    ),
    pattern: /(?<![\w-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}/y,
    kind: 'api-key',
  },
  { starts: ['lachesis-canary-'], pattern: /lachesis-canary-[\w-]{4,}/y, kind: 'canary' },
];
