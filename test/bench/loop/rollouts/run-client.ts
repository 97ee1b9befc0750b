import { fileURLToPath } from 'node:url';

import { countForeignCores, sampleMachine } from '../../../kit/machine-noise.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { startProcess } from '../../../kit/start-process.ts';
import type { ClientOptions, ClientResult } from './client-options.ts';

const ENTRY = fileURLToPath(new URL('client-process.ts', import.meta.url));

export interface Throughput {
  readonly rolloutsPerSecond: number;
  /** What the server's processes spent on one rollout: the same on a quiet machine and on a busy one. */
  readonly cpuMsPerRollout: number;
  readonly foreignCores: number;
}

/** Measures one server with a client in a process of its own. */
export async function measureThroughput(options: ClientOptions, serverPid: number): Promise<Throughput> {
  const lines: string[] = [];
  const before = sampleMachine([process.pid]);
  const cpuBefore = readProcessTree(serverPid).cpuSeconds;
  await using client = await startProcess({
    command: process.execPath,
    args: [ENTRY, JSON.stringify(options)],
    name: 'rollout client',
    onLine: (line) => void (line.startsWith('RESULT ') && lines.push(line.slice('RESULT '.length))),
  });
  const closed = new Promise<void>((resolve) => client.child.once('close', () => resolve()));
  const timer = setTimeout(() => client.signal('SIGKILL'), (options.warmUpSeconds + options.seconds + 60) * 1000);
  // The last output may arrive after the exit.
  await Promise.all([client.exited, closed]);
  clearTimeout(timer);
  const foreignCores = countForeignCores(before, sampleMachine([process.pid]));
  const cpuSeconds = readProcessTree(serverPid).cpuSeconds - cpuBefore;
  const [line] = lines;
  if (line === undefined) throw new Error(`the client ended without a result:\n${client.logs()}`);
  const { rollouts, allRollouts, seconds, failures } = JSON.parse(line) as ClientResult;
  if (failures.length > 0) throw new Error(`requests failed: ${failures.join('; ')}`);
  return { rolloutsPerSecond: rollouts / seconds, cpuMsPerRollout: (cpuSeconds * 1000) / allRollouts, foreignCores };
}
