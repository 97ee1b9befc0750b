import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A cable between this machine and the namespace; both ends have an address. */
export interface NetworkLink {
  readonly hostAddress: string;
  readonly insideAddress: string;
  /** Pulls the cable, or plugs it in again: nobody is told, packets are gone. */
  setUp(isUp: boolean): Promise<void>;
}

/** A network namespace of its own: what runs in it reaches the world only through its links. */
export interface PrivateNetwork {
  readonly links: readonly NetworkLink[];
  /** Put before a command to run it inside; it becomes that command. */
  readonly enter: readonly string[];
  remove(): Promise<void>;
}

/** Needs root and a kernel that lets it; throws otherwise. */
export async function createNetwork(options: { links: number }): Promise<PrivateNetwork> {
  const name = `lachesis-${process.pid}`;
  await ip('netns', 'add', name);
  const remove = async (): Promise<void> => ip('netns', 'delete', name);
  try {
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    const links: NetworkLink[] = [];
    for (let index = 0; index < options.links; index += 1) links.push(await addLink(name, index));
    return { links, enter: ['ip', 'netns', 'exec', name], remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function addLink(namespace: string, index: number): Promise<NetworkLink> {
  // Interface names have at most 15 characters.
  const [outside, inside] = [`lc${process.pid}o${index}`, `lc${process.pid}i${index}`];
  const net = `10.213.${process.pid % 250}.`;
  const hostAddress = `${net}${index * 4 + 1}`;
  const insideAddress = `${net}${index * 4 + 2}`;
  // The peer end goes with the namespace, and this end goes with its peer.
  await ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', namespace);
  await ip('address', 'add', `${hostAddress}/30`, 'dev', outside);
  await ip('-n', namespace, 'address', 'add', `${insideAddress}/30`, 'dev', inside);
  await ip('link', 'set', outside, 'up');
  await ip('-n', namespace, 'link', 'set', inside, 'up');
  return {
    hostAddress,
    insideAddress,
    setUp: (isUp) => ip('link', 'set', outside, isUp ? 'up' : 'down'),
  };
}

async function ip(...args: string[]): Promise<void> {
  await run('ip', args);
}
