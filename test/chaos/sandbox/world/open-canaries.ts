import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

export interface Canaries {
  readonly secret: string;
  /** What attackers are told about the host, so that they need not search. */
  readonly env: Readonly<Record<string, string>>;
  readonly file: string;
  readonly folder: string;
  /** What was touched since the last call; empty when nothing was. */
  findTouched(): Promise<string[]>;
  close(): Promise<void>;
}

/** Things of the host that anybody on it could reach: a file and a folder open to all, ports and sockets that ask for nothing. */
export async function openCanaries(scratch: string): Promise<Canaries> {
  const secret = `canary-${randomBytes(12).toString('hex')}`;
  await chmod(scratch, 0o777);
  const folder = join(scratch, 'open');
  await mkdir(folder);
  await chmod(folder, 0o777);
  const file = join(folder, 'canary');
  await writeFile(file, secret);
  await chmod(file, 0o666);
  let visits: string[] = [];
  const listen = (name: string, where: Parameters<Server['listen']>[0]): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        visits.push(`the ${name} was connected to`);
        socket.on('error', () => undefined);
        socket.end(secret);
      });
      server.once('error', reject);
      server.listen(where, () => resolve(server));
    });
  const port = await listen('port', { port: 0, host: '::' });
  const address = port.address();
  if (address === null || typeof address === 'string') throw new Error('the canary has no port');
  const abstract = `lachesis-canary-${randomBytes(6).toString('hex')}`;
  const socketFile = join(folder, 'socket');
  const servers = [
    port,
    await listen('abstract socket', { path: `\0${abstract}` }),
    await listen('socket file', { path: socketFile }),
  ];
  await chmod(socketFile, 0o777);
  process.env['LACHESIS_CANARY_SECRET'] = secret;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((one) => one.address));
  return {
    secret,
    file,
    folder,
    env: {
      ...{ CANARY: file, PORT: String(address.port), ABSTRACT: abstract, SOCKET_FILE: socketFile },
      ...{ HOST_PID: String(process.pid), HOST_ADDRESSES: addresses.join(' ') },
    },
    async findTouched() {
      const touched = visits;
      visits = [];
      if ((await readFile(file, 'utf8')) !== secret) touched.push('the file was changed');
      const names = await readdir(folder);
      if (names.join() !== 'canary,socket') touched.push(`the folder holds ${names.join(', ')}`);
      return touched;
    },
    async close() {
      delete process.env['LACHESIS_CANARY_SECRET'];
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
