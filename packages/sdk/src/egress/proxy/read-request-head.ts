import { isIP } from 'node:net';

/** What a client wrote before its body. */
export interface RequestHead {
  readonly method: string;
  /** The second word of the first line. */
  readonly target: string;
  readonly httpVersion: string;
  /** Names and values in turn, none joined and none dropped. */
  readonly rawHeaders: readonly string[];
}

/** Where a request wants to go, or why nobody can say. */
export type ReadHead = { readonly address: string } | { readonly problem: string };

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** Headers that say where a message ends or whose it is: one that `Connection` would drop is an attack. */
const FRAMING = new Set(['host', 'content-length', 'transfer-encoding', 'proxy-authorization']);
/** A name, a number or an address in brackets, and its port; what else an authority may hold has no place in a tunnel. */
const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+)):(\d{1,5})$/i;

/** Reads a request that is to be passed on. What two programs could read differently is a problem and not a guess. */
export function readRequestHead(head: RequestHead): ReadHead {
  const problem = findProblem(head);
  if (problem !== undefined) return { problem };
  return head.method === 'CONNECT' ? readTunnel(head) : readPlain(head);
}

function findProblem({ rawHeaders, httpVersion }: RequestHead): string | undefined {
  // Node's parser takes a first line without a version for the protocol of 1991.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'its version is neither 1.0 nor 1.1';
  const found = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!NAME.test(name)) return 'the name of a header holds what no name does';
    if (CONTROL.test(value)) return 'the value of a header holds a control character';
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), value.trim()]);
  }
  for (const name of FRAMING) if ((found.get(name) ?? []).length > 1) return `it has more than one ${name}`;
  const [length] = found.get('content-length') ?? [];
  const [coding] = found.get('transfer-encoding') ?? [];
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return 'its content-length is no number';
  if (length !== undefined && coding !== undefined) return 'it has a content-length and a transfer-encoding';
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion !== '1.1')) {
    return 'its transfer-encoding is another than chunked';
  }
  const dropped = (found.get('connection') ?? []).flatMap((value) => value.toLowerCase().split(/\s*,\s*/));
  const wrong = dropped.find((name) => FRAMING.has(name));
  return wrong === undefined ? undefined : `its connection header drops ${wrong}`;
}

function readTunnel({ target, rawHeaders }: RequestHead): ReadHead {
  const parts = AUTHORITY.exec(target);
  const port = Number(parts?.[3]);
  if (parts === null || port < 1 || port > 65_535) return { problem: 'a tunnel is asked for as host:port' };
  if (parts[1] !== undefined && isIP(parts[1]) !== 6) return { problem: 'what is in brackets is no address' };
  const address = `https://${target}/`;
  const host = readHost(rawHeaders);
  if (host !== undefined && !isSameHost(address, host)) return { problem: 'its host is another than the tunnel’s' };
  return { address };
}

function readPlain({ method, target, httpVersion, rawHeaders }: RequestHead): ReadHead {
  if (!METHODS.has(method)) return { problem: 'its method is not passed on' };
  if (!/^http:\/\//i.test(target)) {
    return { problem: 'this is a proxy: a request names the whole address, beginning with http://' };
  }
  if (target.includes('#')) return { problem: 'its address has a fragment' };
  const host = readHost(rawHeaders);
  if (host === undefined && httpVersion === '1.1') return { problem: 'it has no host' };
  if (host !== undefined && !isSameAuthority(target, host))
    return { problem: 'its host is another than its address’s' };
  return { address: target };
}

function readHost(rawHeaders: readonly string[]): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return at === -1 ? undefined : rawHeaders[at + 1]?.trim();
}

/** By the same parser as everything after, so that a spelling cannot be one host here and another there. */
function isSameAuthority(address: string, host: string): boolean {
  const other = `http://${host}/`;
  if (/[/?#@\\\s]/.test(host) || !URL.canParse(address) || !URL.canParse(other)) return false;
  return stripDot(new URL(address).host) === stripDot(new URL(other).host);
}

/** Clients of tunnels leave out the port, or write it. */
function isSameHost(address: string, host: string): boolean {
  const other = `https://${host}/`;
  if (/[/?#@\\\s]/.test(host) || !URL.canParse(address) || !URL.canParse(other)) return false;
  const [left, right] = [new URL(address), new URL(other)];
  const isSame = stripDot(left.hostname) === stripDot(right.hostname);
  return isSame && (left.port === right.port || !/:\d+$/.test(host));
}

/** Of the root, before a port or the end. */
const stripDot = (host: string): string => host.replace(/\.+(?=:|$)/, '');
