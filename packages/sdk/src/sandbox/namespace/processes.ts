import { existsSync, readFileSync, readdirSync } from 'node:fs';

const CLOCK_TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** Ends one process by its number; one that is gone already is fine. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** When a process was started, in ticks since boot. A number that was given out again has another start. */
export function readStartTicks(pid: number): number | undefined {
  const fields = readStat(pid);
  return fields === undefined || fields[0] === 'Z' ? undefined : Number(fields[19]);
}

export interface TreeUse {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly processes: number;
}

/** What a process and its descendants use; for machines where no control group can be made. */
export function measureTree(rootPid: number): TreeUse {
  const children = new Map<number, number[]>();
  const stats = new Map<number, string[]>();
  for (const pid of listProcesses()) {
    const fields = readStat(pid);
    if (fields === undefined) continue;
    stats.set(pid, fields);
    const parent = Number(fields[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  let memoryBytes = 0;
  let ticks = 0;
  let processes = 0;
  const waiting = [rootPid];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const fields = stats.get(pid);
    waiting.push(...(children.get(pid) ?? []));
    if (fields === undefined) continue;
    processes += 1;
    memoryBytes += Number(fields[21]) * PAGE_BYTES;
    for (const index of [11, 12, 13, 14]) ticks += Number(fields[index]);
  }
  return { memoryBytes, cpuSeconds: ticks / CLOCK_TICKS_PER_SECOND, processes };
}

/** Processes whose environment, as given at their start, holds the variable, with its value. */
export function findProcessesByVariable(name: string): { pid: number; value: string }[] {
  return listProcesses().flatMap((pid) => {
    const found = readText(`/proc/${pid}/environ`)
      ?.split('\0')
      .find((each) => each.startsWith(`${name}=`));
    return found === undefined ? [] : [{ pid, value: found.slice(name.length + 1) }];
  });
}

function listProcesses(): number[] {
  // Only Linux has it.
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** The fields from the state on: the name before it may hold spaces and brackets. */
function readStat(pid: number): string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Ended meanwhile, or belongs to somebody else.
    return undefined;
  }
}
