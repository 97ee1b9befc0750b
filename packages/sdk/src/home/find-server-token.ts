import { homePaths } from '@lachesis/protocol/home';
import { findHome } from './find-home.ts';
import { findListenerOwners } from './find-listener-owners.ts';
import { readPrivateFile } from './private-file.ts';

export interface FindServerTokenOptions {
  /** The server that is about to be called. */
  url: string;
  /** What somebody typed; nothing at all sends none. */
  token?: string | undefined;
  home?: string | undefined;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whose programs listen on a port of this machine; undefined where that cannot be known. */
  findOwners?: ((port: number) => readonly number[] | undefined) | undefined;
}

const ROOT = 0;

/**
 * The token for a server of ours: given, `LACHESIS_TOKEN`, or the one that the first start left in the home. That one goes to
 * this machine alone, and to no program of another user, who may have taken the port while our server was away.
 */
export function findServerToken(options: FindServerTokenOptions): string | undefined {
  const { url, env = process.env, findOwners = findListenerOwners } = options;
  const given = options.token ?? env['LACHESIS_TOKEN'];
  if (given !== undefined) return given === '' ? undefined : given;
  const port = findLoopbackPort(url);
  if (port === undefined) return undefined;
  const file = readPrivateFile(homePaths(findHome(options.home, env)).token);
  if (file === undefined || file.text === '') return undefined;
  const isStranger = findOwners(port)?.some((uid) => uid !== file.uid && uid !== ROOT) ?? false;
  return isStranger ? undefined : file.text;
}

/** The port of an address of this machine; undefined for any other. */
function findLoopbackPort(url: string): number | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  if (!isHere) return undefined;
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
