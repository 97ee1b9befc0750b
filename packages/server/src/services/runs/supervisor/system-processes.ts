import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { ProcessTable, SpawnOptions, TaggedProcess } from './process-table.ts';
import { readTag, TAG_VARIABLE } from './process-tag.ts';

export interface SystemProcessesOptions {
  /** What is started ends when this process is gone, however it went; otherwise it goes on, and is adopted. */
  endsWithUs?: boolean;
}

/** The processes of this machine. On Linux everything is read from /proc; elsewhere `ps` tells when a pid began. */
export function openSystemProcesses({ endsWithUs = false }: SystemProcessesOptions = {}): ProcessTable {
  const place = describePlace();
  return {
    spawn: (options) => spawnDetached(options, endsWithUs),
    readStart: readStart,
    list: listTagged,
    signal(pid, signal, to) {
      try {
        process.kill(to === 'group' ? -pid : pid, signal);
        return true;
      } catch (error) {
        if (isCode(error, 'ESRCH')) return false;
        throw error;
      }
    },
    host: hostname,
    self: () => `${place}/${process.pid}/${readStart(process.pid) ?? ''}`,
    isGone(name) {
      const [host, pid, started] = splitName(name);
      // Of another machine we know nothing: its lease has to run out.
      return host === place && readStart(Number(pid)) !== started;
    },
  };
}

/** Where a pid means something: the machine, and inside it the space that pids are counted in. */
function describePlace(): string {
  try {
    return `${hostname()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has such spaces.
    return hostname();
  }
}

function splitName(name: string): [string, string, string] {
  const parts = name.split('/');
  return [parts.slice(0, -2).join('/'), parts.at(-2) ?? '', parts.at(-1) ?? ''];
}

function spawnDetached(options: SpawnOptions, endsWithUs: boolean): { pid: number | undefined } {
  mkdirSync(dirname(options.logPath), { recursive: true });
  const log = openSync(options.logPath, 'a', 0o600);
  try {
    const child = spawn(options.file, [...options.arguments], {
      // Nothing is said over the channel. It closes when we are gone, and then they end themselves.
      stdio: endsWithUs ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      // A session of its own: it outlives us, and its group can be ended as one.
      detached: true,
      cwd: options.workingDirectory,
      env: { ...options.env },
    });
    child.once('error', (error) => options.onExit({ code: null, signal: null, error: error.message }));
    child.once('exit', (code, signal) => options.onExit({ code, signal }));
    child.unref();
    child.channel?.unref();
    return { pid: child.pid };
  } finally {
    closeSync(log);
  }
}

function readStart(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (process.platform !== 'linux') return readStartByPs(pid);
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.started;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

/** The name of a program may hold blanks and brackets, so fields are counted from the last bracket. */
function parseStat(stat: string): { started: string; group: number } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One that has ended and waits to be collected does nothing any more.
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  // Fields 5 and 22 of proc(5); the first here is field 3.
  const [group, started] = [fields[2], fields[19]];
  return started === undefined ? undefined : { started, group: Number(group) };
}

function readStartByPs(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2_000 });
    return text.trim() === '' || text.trim().startsWith('Z') ? undefined : text.trim().replace(/^\S+\s+/, '');
  } catch {
    // `ps` ends with 1 when there is no such process.
    return undefined;
  }
}

async function listTagged(): Promise<TaggedProcess[]> {
  if (process.platform !== 'linux') return [];
  const found: TaggedProcess[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || pid === process.pid) continue;
    const tagged = await readTagged(pid);
    if (tagged !== undefined) found.push(tagged);
  }
  return found;
}

async function readTagged(pid: number): Promise<TaggedProcess | undefined> {
  try {
    const variables = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (!variables.includes(TAG_VARIABLE)) return undefined;
    const tag = readTag(variables);
    const stat = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (tag === undefined || stat === undefined) return undefined;
    return { pid, started: stat.started, isLeader: stat.group === pid, tag };
  } catch {
    // Gone meanwhile, or another user's: neither is ours to look after.
    return undefined;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
