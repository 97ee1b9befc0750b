import { fileURLToPath } from 'node:url';

import { startProcess, type RunningProcess } from '../../../kit/start-process.ts';
import type { AgentLoad, AgentResult } from './client-process.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly process: RunningProcess;
}

/** Starts a server of this folder that prints its address. */
export async function startServer(
  name: 'backend-process.ts' | 'greedy-process.ts',
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const address = Promise.withResolvers<string>();
  const server = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', path(name)],
    name,
    env,
    onLine: (line) => {
      if (line.startsWith('{"url"')) address.resolve((JSON.parse(line) as { url: string }).url);
    },
  });
  void server.exited.then(() => address.reject(new Error(`${name} ended:\n${server.logs()}`)));
  return { url: await address.promise, process: server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Lets agents work in a process of their own. Every call has to be answered. */
export async function runAgents(load: AgentLoad): Promise<AgentResult> {
  let result: AgentResult | undefined;
  await using client = await startProcess({
    command: process.execPath,
    args: [path('client-process.ts')],
    name: 'agents',
    env: { LACHESIS_LOAD: JSON.stringify(load) },
    onLine: (line) => (result = JSON.parse(line) as AgentResult),
  });
  await client.exited;
  if (result === undefined) throw new Error(`the agents ended without a result:\n${client.logs()}`);
  if (result.failures.length > 0) throw new Error(`calls failed: ${result.failures.join('; ')}`);
  return result;
}
