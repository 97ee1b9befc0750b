import { HEADERS, TOKEN_PREFIX } from '@lachesis/protocol';
import type { RecordLabels } from '../recorder/record-draft.ts';

/** Addresses that answered as our inference server does. */
const gateways = new Set<string>();
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const PRINTABLE = /^[\x20-\x7E]*$/;
/** Servers take some kilobytes of headers, and ours are not the only ones. */
const MOST_CHARACTERS = 4_000;

export const noteGateway = (address: string): void => void gateways.add(new URL(address).origin);

/**
 * The request with its labels, where they go to a recording server of ours: one of this machine, one that takes our
 * tokens, one that has recorded before. A provider is not told who asked. What the caller set itself stays.
 */
export function sendLabels<Init extends RequestInit>(address: string, init: Init, labels: RecordLabels): Init {
  const headers = new Headers(init.headers);
  const said = Object.entries(toHeaders(labels));
  if (said.length === 0 || !isOurs(address, headers)) return init;
  for (const [name, value] of said) if (!headers.has(name)) headers.set(name, value);
  return { ...init, headers };
}

function isOurs(address: string, headers: Headers): boolean {
  const { hostname, origin } = new URL(address);
  const authorization = headers.get('authorization') ?? '';
  return (
    gateways.has(origin) ||
    LOOPBACK.test(hostname) ||
    headers.has(HEADERS.token) ||
    authorization.slice('Bearer '.length).startsWith(TOKEN_PREFIX)
  );
}

function toHeaders({ trajectory, user, tags = [], consent, metadata }: RecordLabels): Record<string, string> {
  const headers = {
    ...(typeof trajectory === 'string' ? { [HEADERS.trajectory]: trajectory } : {}),
    ...(typeof user === 'string' ? { [HEADERS.user]: user } : {}),
    ...(tags.length === 0 ? {} : { [HEADERS.tags]: tags.join(',') }),
    ...(consent === undefined ? {} : { [HEADERS.consent]: consent }),
    ...(metadata === undefined || metadata === null ? {} : { [HEADERS.metadata]: toAscii(metadata) }),
  };
  const texts = Object.values(headers);
  const fits = texts.every((text) => PRINTABLE.test(text)) && texts.join('').length <= MOST_CHARACTERS;
  // What no header can say is recorded here instead, with all of its labels.
  return fits && tags.every((tag) => !tag.includes(',')) ? headers : { [HEADERS.consent]: 'none' };
}

const toAscii = (value: object): string =>
  JSON.stringify(value).replaceAll(/[^\x20-\x7E]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
