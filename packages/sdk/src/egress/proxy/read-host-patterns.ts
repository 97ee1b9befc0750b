import { parseHost } from '../read-allow-list.ts';

/** Which hosts a rollout may ask, of those that the egress rule lets anybody ask. */
export interface HostPatterns {
  has(host: string, port: number): boolean;
}

/** Where web servers are. Another port is named by who wants it: 25 would be somebody else's mail server. */
const WEB_PORTS: readonly number[] = [80, 443];

/** Reads `pypi.org`, `*.pythonhosted.org`, `rewards.lan:8003` and `*`, each entry with a port or for 80 and 443. */
export function readHostPatterns(entries: readonly string[]): HostPatterns {
  const patterns = entries.map(readPattern);
  return { has: (host, port) => patterns.some((fits) => fits(host, port)) };
}

function readPattern(entry: string): (host: string, port: number) => boolean {
  const [, isEverything, everyPort, isBelow, named] = /^(?:(\*)(?::(\d{1,5}))?|(\*\.)?([^*]+))$/.exec(entry) ?? [];
  if (isEverything !== undefined) return (_host, port) => hasPort(everyPort, port);
  const found = named === undefined ? undefined : parseHost(named);
  if (found === undefined || found.host === '') throw refuse(entry);
  const fits = (host: string): boolean =>
    isBelow === undefined ? host === found.host : host.endsWith(`.${found.host}`);
  return (host, port) => fits(host) && hasPort(found.port, port);
}

const hasPort = (wanted: string | number | undefined, port: number): boolean =>
  wanted === undefined ? WEB_PORTS.includes(port) : Number(wanted) === port;

const refuse = (entry: string): Error =>
  new Error(
    `The network allows ${JSON.stringify(entry.slice(0, 100))}, which is no host. Write pypi.org, *.pythonhosted.org, host:8080, or * for every public host.`,
  );
