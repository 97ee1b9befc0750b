import { execFile } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Sandbox, SandboxProvider } from '@lachesis/sdk/sandbox';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';
const FOLDER = '/tmp/sshd';
const SETTINGS = [
  ...[`HostKey ${FOLDER}/host`, `AuthorizedKeysFile ${FOLDER}/keys`, 'StrictModes no', 'UsePAM no', 'PidFile none'],
  ...['PasswordAuthentication no', 'KbdInteractiveAuthentication no', 'MaxSessions 50', ''],
].join('\n');

export interface SshHost {
  readonly host: string;
  /** For `createSshProvider`. */
  readonly command: readonly string[];
  stop(): Promise<void>;
}

/**
 * A machine to log in to that is itself behind a wall: each connection to a port of the loopback is served by a real sshd that
 * runs in a sandbox. Answers with a sentence where there is no sshd.
 */
export async function startSshHost(provider: SandboxProvider, scratch: string): Promise<SshHost | string> {
  const isThere = await access(SSHD).then(
    () => true,
    () => false,
  );
  if (!isThere) return 'openssh-server is not installed: .ci/setup installs it';
  const [host, user] = [join(scratch, 'host'), join(scratch, 'user')];
  for (const file of [host, user]) await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  const machine = await provider.create({
    owner: 'chaos-sandbox-ssh',
    limits: { wallMs: 600_000, cpuSeconds: 600, processes: 400, memoryBytes: 1e9, outputBytes: 64e6 },
  });
  await machine.writeFile(`${FOLDER}/host`, await readFile(host));
  await machine.writeFile(`${FOLDER}/keys`, await readFile(`${user}.pub`));
  await machine.writeFile(`${FOLDER}/settings`, SETTINGS);
  await machine.exec(['chmod', '-R', 'go=', FOLDER]);
  const server = serve(machine);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the ssh host has no port');
  const known = join(scratch, 'known');
  await writeFile(known, `[127.0.0.1]:${address.port} ${await readFile(`${host}.pub`, 'utf8')}`);
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', `UserKnownHostsFile=${known}`, 'ConnectTimeout=20'];
  return {
    host: 'sandbox@127.0.0.1',
    command: [
      ...['ssh', '-F', 'none', '-p', String(address.port), '-i', user, '-o', 'IdentitiesOnly=yes'],
      ...options.flatMap((each) => ['-o', each]),
    ],
    async stop() {
      server.close();
      await machine.destroy();
    },
  };
}

function serve(machine: Sandbox): Server {
  return createServer((socket) => {
    const end = new AbortController();
    socket.once('close', () => end.abort());
    socket.on('error', () => end.abort());
    const serving = machine.exec([SSHD, '-i', '-f', `${FOLDER}/settings`], {
      input: socket,
      signal: end.signal,
      onOutput: ({ stream, bytes }) => {
        if (stream === 'stdout' && bytes !== undefined) socket.write(bytes);
      },
    });
    // A sandbox that is gone takes its connections along.
    void serving.catch(() => undefined).finally(() => socket.end());
  });
}
