import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { PortFacts } from '../../doctor/check-ports.ts';

const run = promisify(execFile);

/** The ports that everything has by default, each with the option that moves it. */
const PORTS = Object.freeze([
  { port: 8000, station: 'trajectory API', option: '--port of `lachesis serve trajectory-api`' },
  { port: 8001, station: 'inference', option: '--port' },
  { port: 8080, station: 'control', option: '--control-port' },
  { port: 8100, station: 'engine', option: '--port of `lachesis engine up`' },
]);

export async function probePorts(): Promise<PortFacts[]> {
  return await Promise.all(
    PORTS.map(async (known) => {
      const isFree = await canListen(known.port);
      return { ...known, isFree, holder: isFree ? undefined : await findHolder(known.port) };
    }),
  );
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function findHolder(port: number): Promise<PortFacts['holder']> {
  const pid = process.platform === 'linux' ? await findPidInProc(port) : await findPidWithLsof(port);
  if (pid === undefined) return undefined;
  const words = await readCommand(pid);
  const isOurs = words.some((word) => /lachesis|skyrl\.tinker/.test(word));
  return { pid, isOurs, command: shorten(words) };
}

const LISTENING = '0A';

/** The socket's number is in the table of sockets; whose it is, only the links of each process tell. */
async function findPidInProc(port: number): Promise<number | undefined> {
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    // A kernel without IPv6 has no second table.
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [, local = '', , state = ''] = fields;
      if (state === LISTENING && Number.parseInt(local.split(':')[1] ?? '', 16) === port) inodes.add(fields[9] ?? '');
    }
  }
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Processes of others, and those that have just ended, show nothing.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined && inodes.has(inode)) return Number(pid);
    }
  }
  return undefined;
}

async function findPidWithLsof(port: number): Promise<number | undefined> {
  // Without lsof, or without a holder that it may show, nobody can be named.
  const stdout = await run('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], { timeout: 5_000 }).then(
    (done) => done.stdout,
    () => '',
  );
  const [pid] = stdout.split('\n');
  return pid === undefined || pid === '' ? undefined : Number(pid);
}

async function readCommand(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').filter((word) => word !== '');
  }
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)], { timeout: 5_000 });
  return stdout.trim().split(/\s+/);
}

/** The program and its script: arguments may hold what is nobody's business. */
function shorten(words: readonly string[]): string {
  const name = (word: string | undefined): string => word?.split('/').at(-1) ?? '';
  const script = words.slice(1).find((word) => !word.startsWith('-') && /\.(?:[cm]?[jt]s|py|rb|jar)$/.test(word));
  return [name(words[0]), ...(script === undefined ? [] : [name(script)])].join(' ') || 'a program without a name';
}
