import { readdir, readFile } from 'node:fs/promises';

import { runTool, type RunTool } from './run-tool.ts';

export interface ProcessFacts {
  readonly pid: number;
  /** Its process group; the leader of a group has it as its pid. */
  readonly group: number;
  /** Program and arguments, joined by spaces. */
  readonly command: string;
}

export interface ListProcessesOptions {
  readonly platform?: NodeJS.Platform;
  /** Linux: where the kernel shows processes. */
  readonly procDirectory?: string;
  readonly run?: RunTool;
}

/** All processes of this machine: from /proc on Linux, where small images lack `ps`, and from `ps` elsewhere. */
export async function listProcesses(options: ListProcessesOptions = {}): Promise<ProcessFacts[]> {
  const { platform = process.platform, procDirectory = '/proc', run = runTool } = options;
  return platform === 'linux' ? readProc(procDirectory) : askPs(run);
}

async function readProc(directory: string): Promise<ProcessFacts[]> {
  const names = (await readdir(directory)).filter((name) => /^\d+$/.test(name));
  const facts = await Promise.all(names.map((name) => readOne(directory, name)));
  return facts.filter((fact) => fact !== undefined);
}

async function readOne(directory: string, name: string): Promise<ProcessFacts | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`${directory}/${name}/stat`, 'utf8'),
      readFile(`${directory}/${name}/cmdline`, 'utf8'),
    ]);
    // The program's name may hold spaces and brackets, so the fields are counted from its last closing bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(name), group: Number(fields[2]), command: command.split('\0').join(' ').trim() };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // It ended between being listed and being read, or belongs to somebody else.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

async function askPs(run: RunTool): Promise<ProcessFacts[]> {
  const facts: ProcessFacts[] = [];
  await run({
    command: 'ps',
    args: ['-axww', '-o', 'pid=,pgid=,command='],
    timeoutMs: 10_000,
    onLine: (line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
      if (match !== null) facts.push({ pid: Number(match[1]), group: Number(match[2]), command: match[3] ?? '' });
    },
  });
  return facts;
}
