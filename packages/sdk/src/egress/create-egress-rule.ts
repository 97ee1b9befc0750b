import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { familyOf, nameSpecialRange } from './address-ranges.ts';
import { EgressError } from './egress-error.ts';
import { plainHost, readAllowList } from './read-allow-list.ts';

/** An address that may be asked, with the one place it was found to lead to. */
export interface EgressTarget {
  readonly url: URL;
  /** Connect to this and to nothing else: a name may lead elsewhere when it is asked for again. */
  readonly address: string;
  readonly family: 4 | 6;
}

/** Says which addresses that somebody else wrote may be asked. */
export interface EgressRule {
  /** Looks at the address alone. Throws `EgressError`. */
  read(address: string | URL): URL;
  /** Resolves its name too. Throws `EgressError`. */
  resolve(address: string | URL, signal?: AbortSignal): Promise<EgressTarget>;
}

export interface EgressRuleOptions {
  /** Hosts and networks beyond the public internet, as `LACHESIS_EGRESS_ALLOW` has them. */
  readonly allow?: string | undefined;
  /** All addresses of a name. */
  readonly lookup?: (host: string) => Promise<readonly { address: string }[]>;
}

const LONGEST = 4_096;
const LOOKUP_MS = 5_000;
/** Names that lead to this machine or to a network of one's own, whatever a resolver says. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa|corp|private)$/;
/** Control characters, blanks and backslashes: parsers of addresses disagree on what they mean. */
// oxlint-disable-next-line no-control-regex
const AMBIGUOUS = /[\u0000-\u0020\u007f-\u00a0\\\u200b-\u200f\u2028-\u202e\ufeff]/;

/** One rule for every address that a setting, a tool or a page names. */
export function createEgressRule(options: EgressRuleOptions = {}): EgressRule {
  const { lookup: find = lookupAll } = options;
  const allow = readAllowList(options.allow);

  const read = (given: string | URL): URL => {
    const text = typeof given === 'string' ? given : given.href;
    const refuse = (reason: string): EgressError => new EgressError({ address: showAddress(text), reason });
    if (text.length > LONGEST) throw refuse(`it is longer than ${LONGEST} characters`);
    if (AMBIGUOUS.test(text)) throw refuse('it holds a blank, a backslash or a control character');
    if (!URL.canParse(text)) throw refuse('it is not an address');
    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse('its scheme is neither http nor https');
    if (!/^https?:\/\/[^/]/i.test(text)) throw refuse('it is written as no browser would');
    if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text)) {
      throw refuse('it carries a name or a password');
    }
    const host = plainHost(url.hostname);
    if (host === '') throw refuse('it names no host');
    if (allow.hasHost(host, portOf(url))) return url;
    if (isIP(host) !== 0) {
      const range = allow.hasAddress(host) ? undefined : nameSpecialRange(host);
      if (range !== undefined) throw refuse(`${host} is ${range}`);
    } else if (!host.includes('.') || LOCAL_NAMES.test(host)) throw refuse(`${host} is a name of a local network`);
    return url;
  };

  return {
    read,
    async resolve(given, signal) {
      const url = read(given);
      const host = plainHost(url.hostname);
      const refuse = (reason: string, cause?: unknown): EgressError =>
        new EgressError({ address: showAddress(url.href), reason, cause });
      const found = isIP(host) === 0 ? await tryLookup(find, host, refuse, signal) : [{ address: host }];
      const isNamed = allow.hasHost(host, portOf(url));
      // All of them are looked at: who answers with a public and a private address wants the second to be taken.
      for (const { address } of found) {
        if (isIP(address) === 0) throw refuse('its name leads to no address');
        const range = isNamed || allow.hasAddress(address) ? undefined : nameSpecialRange(address);
        if (range !== undefined) throw refuse(`${host} leads to ${address}, which is ${range}`);
      }
      const [first] = found;
      if (first === undefined) throw refuse('its name leads to no address');
      return { url, address: first.address, family: familyOf(first.address) === 'ipv6' ? 6 : 4 };
    },
  };
}

/** Whether a text is meant as an address and not as a file: it begins with a scheme, or with two slashes. */
export const isAddressLike = (text: string): boolean => /^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(text);

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

const lookupAll = (host: string): Promise<{ address: string }[]> => lookup(host, { all: true, verbatim: true });

async function tryLookup(
  find: NonNullable<EgressRuleOptions['lookup']>,
  host: string,
  refuse: (reason: string, cause?: unknown) => EgressError,
  signal: AbortSignal | undefined,
): Promise<readonly { address: string }[]> {
  const late = AbortSignal.timeout(LOOKUP_MS);
  const end = signal === undefined ? late : AbortSignal.any([signal, late]);
  const ended = new Promise<never>((_resolve, reject) => {
    end.addEventListener('abort', () => reject(refuse(`${host} was not resolved in time`)), { once: true });
  });
  try {
    return await Promise.race([find(host), ended]);
  } catch (cause) {
    if (EgressError.isInstance(cause)) throw cause;
    throw refuse(`${host} cannot be resolved (${(cause as NodeJS.ErrnoException).code ?? 'no reason given'})`, cause);
  }
}

/** For sentences: without what may be a secret, and not longer than a line. */
function showAddress(text: string): string {
  const shown = URL.canParse(text) ? `${new URL(text).protocol}//${new URL(text).host}${new URL(text).pathname}` : text;
  return JSON.stringify(shown.slice(0, 200));
}
