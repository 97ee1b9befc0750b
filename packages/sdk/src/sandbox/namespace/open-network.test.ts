import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

import { createEgressRule } from '../../egress/create-egress-rule.ts';
import { createContainerProvider } from '../container/create-container-provider.ts';
import { createLocalProvider } from '../local/create-local-provider.ts';
import type { Sandbox, SandboxNetwork } from '../sandbox.ts';
import { createNamespaceProvider } from './create-namespace-provider.ts';

async function serve(): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, reply) => {
    seen.push(request);
    reply.end('hello from the host');
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

async function open(network: SandboxNetwork | undefined): Promise<Sandbox> {
  const provider = createNamespaceProvider();
  const sandbox = await provider.create({ owner: 'open-network.test', network });
  onTestFinished(() => provider.close());
  return sandbox;
}

/** By the shell alone, so that no program has to be there. */
const connectTo = (host: string, port: number): string =>
  `bash -c 'exec 3<>/dev/tcp/${host}/${port} && printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3'`;
const askFor = (url: string): string =>
  `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128 && printf "GET ${url} HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3'`;

test('what the list names is asked through the proxy, and everything else is not', { timeout: 60_000 }, async () => {
  const { port, seen } = await serve();
  const allow = [`127.0.0.1:${port}`];
  const sandbox = await open({ allow, rule: createEgressRule({ allow: allow.join() }) });
  const environment = await sandbox.exec('echo $http_proxy $https_proxy $no_proxy');
  expect(environment.stdout).toContain('http://127.0.0.1:3128 http://127.0.0.1:3128 localhost');

  const asked = await sandbox.exec(askFor(`http://127.0.0.1:${port}/page`));
  expect(asked.stdout).toContain('hello from the host');
  expect(seen[0]?.url).toBe('/page');
  const refused = await sandbox.exec(askFor(`http://127.0.0.1:${port + 1}/`));
  expect(refused.stdout).toMatch(/^HTTP\/1\.1 403 /);
  expect((await sandbox.exec(askFor('http://169.254.169.254/'))).stdout).toContain('where clouds serve credentials');
  // The host's own addresses are not there.
  for (const host of ['127.0.0.1', '8.8.8.8', '169.254.169.254']) {
    expect((await sandbox.exec(connectTo(host, port))).exitCode).not.toBe(0);
  }
  expect(seen).toHaveLength(1);
  expect(sandbox.network?.log).toMatchObject([
    { host: '127.0.0.1', port, address: '127.0.0.1', verdict: 'allowed' },
    { verdict: 'refused', address: undefined },
    { verdict: 'refused', address: undefined },
  ]);
  expect(sandbox.network?.usage).toMatchObject({ requests: 3 });
});

test('two sandboxes have a proxy each, and without a list there is none', { timeout: 60_000 }, async () => {
  const { port } = await serve();
  const rule = createEgressRule({ allow: `127.0.0.1:${port}` });
  const first = await open({ allow: [`127.0.0.1:${port}`], rule });
  const second = await open({ allow: [], rule });
  const without = await open(undefined);
  expect((await first.exec(askFor(`http://127.0.0.1:${port}/`))).stdout).toContain('hello');
  expect((await second.exec(askFor(`http://127.0.0.1:${port}/`))).stdout).toContain('(none)');
  expect((await without.exec(askFor(`http://127.0.0.1:${port}/`))).exitCode).not.toBe(0);
  expect([first.network?.log.length, second.network?.log.length, without.network]).toEqual([1, 1, undefined]);
});

test('a sandbox that cannot hold a list refuses it', async () => {
  const network = { allow: ['pypi.org'] };
  for (const provider of [createLocalProvider(), createContainerProvider()]) {
    await expect(provider.create({ owner: 'x', network })).rejects.toThrow('cannot hold a list of hosts');
  }
  await expect(open({ allow: ['http://x'] })).rejects.toThrow('which is no host');
});
