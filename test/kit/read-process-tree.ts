import { readFileSync, readdirSync } from 'node:fs';

/** Ticks per second of the times in /proc; fixed at 100 by the kernel's ABI on every platform Node supports. */
const CLOCK_TICKS_PER_SECOND = 100;

export interface ProcessTree {
  /** The root first, then its descendants; empty when the root has ended. */
  readonly pids: readonly number[];
  /** Sum of the resident sets. Pages shared between the processes count once for each, so this never flatters. */
  readonly rssBytes: number;
  /** User and system time of the living processes and of those children they have waited for. */
  readonly cpuSeconds: number;
}

interface ProcessFacts {
  readonly parent: number;
  readonly cpuSeconds: number;
}

/** A process and all its descendants, read from /proc (Linux only). */
export function readProcessTree(rootPid: number): ProcessTree {
  const facts = readAllProcesses();
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of facts) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const pids: number[] = [];
  const waiting = facts.has(rootPid) ? [rootPid] : [];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    pids.push(pid);
    waiting.push(...(children.get(pid) ?? []));
  }
  return {
    pids,
    rssBytes: pids.reduce((sum, pid) => sum + readRssBytes(pid), 0),
    cpuSeconds: pids.reduce((sum, pid) => sum + (facts.get(pid)?.cpuSeconds ?? 0), 0),
  };
}

/** The direct children of a process, oldest pid first. */
export function listChildPids(parentPid: number): number[] {
  return [...readAllProcesses()]
    .filter(([, { parent }]) => parent === parentPid)
    .map(([pid]) => pid)
    .sort((left, right) => left - right);
}

/** The parent of a process; undefined when there is no such process here. */
export function findParentPid(pid: number): number | undefined {
  return readFacts(pid)?.parent;
}

function readAllProcesses(): Map<number, ProcessFacts> {
  const all = new Map<number, ProcessFacts>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const facts = readFacts(pid);
    if (facts !== undefined) all.set(pid, facts);
  }
  return all;
}

function readFacts(pid: number): ProcessFacts | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name may hold spaces and brackets, so the fields are counted from its last closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
  return { parent: Number(fields[1]), cpuSeconds: ticks / CLOCK_TICKS_PER_SECOND };
}

function readRssBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? 0 : Number(kilobytes) * 1024;
}

/** Undefined when the process ended between being listed and being read, which is ordinary. */
function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
