import { countForeignCores, sampleMachine } from '../../../kit/machine-noise.ts';
import { summarizeLatencies } from '../../../kit/quantiles.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { NativeClient } from './native-client.ts';
import type { NativeLoadOptions, NativeLoadResult } from './options.ts';
import { pushGroups } from './push-groups.ts';
import { train } from './train.ts';

/** Pushes on schedule through the native API while a trainer leases and acknowledges, and says what came of it. */
export async function runNativeLoad(options: NativeLoadOptions): Promise<NativeLoadResult> {
  const client = new NativeClient(options.url);
  await client.register(options.batchSize);
  const machineBefore = sampleMachine(options.ownRoots);
  const serverBefore = readProcessTree(options.serverPid);
  const generatorBefore = process.cpuUsage();
  const startedAt = performance.now();
  let rssPeakBytes = serverBefore.rssBytes;
  const sampler = setInterval(() => {
    rssPeakBytes = Math.max(rssPeakBytes, readProcessTree(options.serverPid).rssBytes);
  }, 250);

  let isOver = false;
  const groupsPerBatch = Math.ceil(options.batchSize / options.sequences);
  const training = train({ client, groupsPerBatch, isOver: () => isOver });
  const pushes = await pushGroups(client, options);
  const seconds = (performance.now() - startedAt) / 1000;
  const generator = process.cpuUsage(generatorBefore);
  const serverAfter = readProcessTree(options.serverPid);
  const machineAfter = sampleMachine(options.ownRoots);
  isOver = true;
  const trainer = await training;
  clearInterval(sampler);
  const ledger = await client.readLedger();
  client.close();

  const failures = [
    ...pushes.failures,
    ...trainer.failures,
    ...(ledger.balanced ? [] : ['the ledger does not balance']),
  ];
  return {
    seconds,
    pushed: pushes.pushed,
    trained: trainer.trained,
    batches: trainer.batches,
    push: summarizeLatencies(pushes.latenciesMs),
    fetch: summarizeLatencies(trainer.fetchMs),
    deferred: pushes.deferred,
    failures: { count: failures.length, first: failures[0] },
    starved: trainer.starved,
    longestWaitMs: trainer.longestWaitMs,
    bytesPerGroup: pushes.bytes / pushes.pushed,
    rssPeakBytes,
    serverCpuMsPerGroup: ((serverAfter.cpuSeconds - serverBefore.cpuSeconds) * 1000) / pushes.pushed,
    foreignCores: countForeignCores(machineBefore, machineAfter),
    generatorCores: (generator.user + generator.system) / 1e6 / seconds,
  };
}
