import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findListenerOwners, ownersIn } from './find-listener-owners.ts';
import { findServerToken } from './find-server-token.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lachesis-home-'));
  writeFileSync(join(home, 'token'), 'lch_of-the-home\n', { mode: 0o600 });
});
afterEach(() => rmSync(home, { recursive: true }));

const find = (url: string, options: object = {}) =>
  findServerToken({ url, home, env: {}, findOwners: () => undefined, ...options });

describe('the token for a server', () => {
  it.each([
    ['http://localhost:8080', 'lch_of-the-home'],
    ['http://127.0.0.1:8080/run/x', 'lch_of-the-home'],
    ['http://127.1:8080', 'lch_of-the-home'],
    ['http://[::1]:8080', 'lch_of-the-home'],
    ['http://train.example:8080', undefined],
    ['http://10.0.0.7:8080', undefined],
    ['http://127.0.0.1.evil.example:8080', undefined],
    ['http://localhost.evil.example', undefined],
    ['nonsense', undefined],
  ])('of the home goes to this machine alone: %s', (url, token) => {
    expect(find(url)).toBe(token);
  });

  it('is what was typed, then the variable, then the file', () => {
    const env = { LACHESIS_TOKEN: 'of-the-variable' };
    expect(find('http://localhost:1', { token: 'typed', env })).toBe('typed');
    expect(find('http://train.example', { env })).toBe('of-the-variable');
    expect(find('http://localhost:1', { token: '' })).toBeUndefined();
    expect(find('http://localhost:1', { home: join(home, 'nowhere') })).toBeUndefined();
  });

  it('is not sent to a program of another user that took the port', () => {
    const own = process.getuid?.() ?? 0;
    expect(find('http://localhost:8080', { findOwners: () => [own + 1] })).toBeUndefined();
    expect(find('http://localhost:8080', { findOwners: () => [own, 0] })).toBe('lch_of-the-home');
    expect(find('http://localhost:8080', { findOwners: () => [] })).toBe('lch_of-the-home');
  });

  it.skipIf(process.platform === 'win32')('is not read from a file that others may read', () => {
    chmodSync(join(home, 'token'), 0o640);
    expect(() => find('http://localhost:1')).toThrow(/may be read by others \(mode 640\).*chmod 600/);
  });
});

describe('who listens on a port', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1 1 0',
    '   1: 0100007F:1F90 0100007F:A000 01 00000000:00000000 00:00000000 00000000  1002        0 2 1 0',
    '   2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 3 1 0',
  ].join('\n');

  it('is read from the sockets that listen', () => {
    expect(ownersIn(table, 0x1f90)).toEqual([1001]);
    expect(ownersIn(table, 80)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('is this user for a server of this process', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(findListenerOwners(port)).toEqual([process.getuid?.()]);
    await new Promise((resolve) => server.close(resolve));
  });
});
