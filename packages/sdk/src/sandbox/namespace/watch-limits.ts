import { availableParallelism } from 'node:os';

import type { ExecEnd, SandboxLimits } from '../sandbox.ts';
import type { ControlGroup, ExecGroup } from './control-group.ts';
import { measureTree } from './processes.ts';

/** A group is three small files to read, so it is looked at often: in 100 ms connections can take seven times their share. */
const WATCH_GROUP_MS = 25;
const WATCH_TREE_MS = 100;
const SHORTEST_WATCH_MS = 4;
/** Connections that are opened as fast as the kernel can fill the second half of their share before the next ordinary look. */
const NEAR = 0.5;

export interface WatchGroupOptions {
  readonly group: ControlGroup;
  readonly exec: ExecGroup;
  readonly limits: SandboxLimits;
  stop(end: ExecEnd): void;
}

/** Looks as often as the limit could be reached: seldom at first, closely towards the end. */
export function watchGroup({ group, exec, limits, stop }: WatchGroupOptions): () => void {
  const killsBefore = group.countMemoryKills();
  const cores = availableParallelism();
  let timer: NodeJS.Timeout;
  const look = (): void => {
    if (group.countMemoryKills() > killsBefore) return stop('memory');
    const leftSeconds = limits.cpuSeconds - exec.readCpuSeconds();
    if (leftSeconds <= 0) return stop('cpu');
    const tcpShare = group.readTcpShare();
    if (tcpShare >= 1) return stop('memory');
    const soonestMs = tcpShare > NEAR ? SHORTEST_WATCH_MS : (leftSeconds / cores) * 1_000;
    timer = setTimeout(look, Math.max(SHORTEST_WATCH_MS, Math.min(WATCH_GROUP_MS, soonestMs)));
  };
  timer = setTimeout(look, Math.min(WATCH_GROUP_MS, (limits.cpuSeconds / cores) * 1_000));
  return () => {
    clearTimeout(timer);
    // The command itself may be what the kernel killed, before we looked.
    if (group.countMemoryKills() > killsBefore) stop('memory');
  };
}

export interface WatchTreeOptions {
  readonly rootPid: number;
  readonly limits: SandboxLimits;
  stop(end: ExecEnd): void;
}

/** The same where there are no groups: less often, since every process of the machine is looked at. */
export function watchTree({ rootPid, limits, stop }: WatchTreeOptions): () => void {
  const timer = setInterval(() => {
    const use = measureTree(rootPid);
    if (use.memoryBytes > limits.memoryBytes) stop('memory');
    else if (use.cpuSeconds > limits.cpuSeconds) stop('cpu');
  }, WATCH_TREE_MS);
  return () => clearInterval(timer);
}
