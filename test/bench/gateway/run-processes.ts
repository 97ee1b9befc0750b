import { fileURLToPath } from 'node:url';

import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import type { ClientLoad, ClientResult } from './client-process.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts a backend that prints its address. */
export async function startBackend(
  name: 'backend-process.ts' | 'engine-process.ts',
  delayMs: number,
): Promise<{ url: string; process: RunningProcess } & AsyncDisposable> {
  const address = Promise.withResolvers<string>();
  const backend = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', path(name)],
    name,
    env: { LACHESIS_DELAY_MS: String(delayMs) },
    onLine: (line) => address.resolve((JSON.parse(line) as { url: string }).url),
  });
  void backend.exited.then(() => address.reject(new Error(`${name} ended:\n${backend.logs()}`)));
  return { url: await address.promise, process: backend, [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose]() };
}

/** Runs client processes at once and puts their results together. */
export async function runClients(load: ClientLoad, processes: number): Promise<ClientResult> {
  const share: ClientLoad = {
    ...load,
    ...(load.atOnce === undefined ? {} : { atOnce: load.atOnce / processes }),
    ...(load.perSecond === undefined ? {} : { perSecond: load.perSecond / processes }),
  };
  const results = await Promise.all(Array.from({ length: processes }, () => runClient(share)));
  return {
    answered: results.reduce((sum, each) => sum + each.answered, 0),
    failed: results.reduce((sum, each) => sum + each.failed, 0),
    failures: results.flatMap((each) => each.failures),
    latencies: results.flatMap((each) => each.latencies).sort((left, right) => left - right),
  };
}

async function runClient(load: ClientLoad): Promise<ClientResult> {
  let result: ClientResult | undefined;
  await using client = await startProcess({
    command: process.execPath,
    args: [path('client-process.ts')],
    name: 'client',
    env: { LACHESIS_LOAD: JSON.stringify(load) },
    onLine: (line) => (result = JSON.parse(line) as ClientResult),
  });
  await client.exited;
  if (result === undefined) throw new Error(`a client ended without a result:\n${client.logs()}`);
  return result;
}
