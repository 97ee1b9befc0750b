import { join } from 'node:path';

import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import type { Place } from './fresh-machine.ts';

const COMMAND_MS = 240_000;

/** What a command printed, and how it ended. */
export interface Typed {
  readonly code: number | null;
  readonly out: string;
  readonly all: string;
}

/** `lachesis` of the installed packages, in a home of its own. */
export interface Lachesis {
  /** Runs a command to its end; one that fails throws with what it said. */
  type(args: readonly string[], options?: TypeOptions): Promise<Typed>;
  json<T>(args: readonly string[], options?: TypeOptions): Promise<T>;
  /** Starts a command that goes on. */
  begin(args: readonly string[], onLine?: (line: string) => void): Promise<RunningProcess>;
}

interface TypeOptions {
  readonly codes?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  /** How long it may take; four minutes by default. */
  readonly mostMs?: number;
}

export function openLachesis({ home, folder, env }: Place, log: (text: string) => void): Lachesis {
  const command = join(home, 'lachesis-packages', 'node_modules', '.bin', 'lachesis');
  // Only what the machine has: everything else of this process is taken away.
  const clean = { ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])), ...env };
  const begin: Lachesis['begin'] = (args, onLine) =>
    startProcess({
      name: `lachesis ${args[0]}`,
      command,
      args,
      cwd: folder,
      env: clean,
      ...(onLine === undefined ? {} : { onLine }),
    });
  const type: Lachesis['type'] = async (args, { codes = [0], env: further = {}, mostMs = COMMAND_MS } = {}) => {
    const lines: string[] = [];
    await using running = await startProcess({
      ...{ name: `lachesis ${args[0]}`, command, args, cwd: folder, env: { ...clean, ...further } },
      onLine: (line) => lines.push(line),
    });
    const timer = setTimeout(() => running.signal('SIGKILL'), mostMs);
    const { code } = await running.exited;
    clearTimeout(timer);
    log(`lachesis ${args.join(' ')} → ${code}`);
    const all = running.logs();
    if (code === null || !codes.includes(code))
      throw new Error(`lachesis ${args.join(' ')} ended with ${code}:\n${all}`);
    return { code, out: lines.join('\n'), all };
  };
  return {
    begin,
    type,
    json: async (args, options) => JSON.parse((await type([...args, '--json'], options)).out.split('\n').at(-1) ?? ''),
  };
}
