import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PUBLIC, type List, type World } from '../world/open-world.ts';

/** One way to be where the proxy does not let anybody be. */
export interface Trick {
  readonly name: string;
  /** Which list the proxy has. Default: every host, so that the rule alone is in the way. */
  readonly list?: List;
  /** Nothing of it may be passed on, wherever it says it goes. */
  readonly isMalformed?: true;
  /** What is written to the proxy, the credential aside; or the lines of the request that follows an answer. */
  readonly lines: readonly string[];
  /** A client that follows redirects, as curl and browsers do. */
  readonly isFollowed?: true;
}

const ANSWER_MS = 4_000;
const MOST_HOPS = 3;
const MOST_WAITS = 100;

/** Plays it; answers what it reached, or nothing. */
export async function playTrick(world: World, trick: Trick): Promise<string | undefined> {
  world.dialled.length = 0;
  world.received.length = 0;
  let said = await send(world, trick, trick.lines);
  for (let hop = 0; trick.isFollowed === true && hop < MOST_HOPS; hop += 1) {
    const location = /^location: (\S+)/im.exec(said)?.[1];
    if (location === undefined) break;
    said = await send(world, trick, writeRequest(location));
  }
  // What is still on its way would be taken for the next trick's.
  for (let wait = 0; !world.isQuiet() && wait < MOST_WAITS; wait += 1) await sleep(5);
  const wrong = world.dialled.find((address) => address !== PUBLIC);
  if (wrong !== undefined) return `it was connected to ${wrong}`;
  if (world.received.some((each) => each.includes('/smuggled'))) return 'a request hid in another';
  if (trick.isMalformed === true && world.received.length > 0) return 'it was passed on';
  return said === '' && trick.isMalformed !== true ? 'nothing was answered' : undefined;
}

/** What a client writes that follows an address. */
function writeRequest(location: string): string[] {
  const host = /^\w+:\/\/([^/?#]*)/.exec(location)?.[1] ?? '';
  return /^https:/i.test(location)
    ? [`CONNECT ${host}${/:\d+$/.test(host) ? '' : ':443'} HTTP/1.1`, `Host: ${host}`, '', '']
    : [`GET ${location} HTTP/1.1`, `Host: ${host}`, '', ''];
}

/** Writes bytes as they are; answers all that comes until the proxy is done. */
export function send(world: World, { list = 'any' }: Pick<Trick, 'list'>, lines: readonly string[]): Promise<string> {
  const { port, username, password } = world.proxies[list];
  const credential = Buffer.from(`${username}:${password}`).toString('base64');
  const [first = '', ...rest] = lines;
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(said);
    };
    const timer = setTimeout(end, ANSWER_MS);
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1');
      // A tunnel that was opened stays open; so does a connection that was answered and is kept.
      if (said.startsWith('HTTP/1.1 200 C') || said.endsWith('\r\n\r\nhello')) end();
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.write([first, `Proxy-Authorization: Basic ${credential}`, ...rest].join('\r\n'));
  });
}
