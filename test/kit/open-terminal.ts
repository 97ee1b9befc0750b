import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface TerminalOptions {
  /** Where it is opened. */
  readonly folder: string;
  /** Everything that its programs see; nothing of this process's own is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput?: (text: string) => void;
}

export interface TypedCommand {
  readonly command: string;
  /** Its exit code; null when it did not end in time, or took the shell with it. */
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** A bash into which commands are typed one after another, so that folders, variables and jobs stay. */
export interface Terminal extends AsyncDisposable {
  /** Types a command and waits for its end; Ctrl-C when it takes longer. */
  type(command: string, timeoutMs: number): Promise<TypedCommand>;
  /** Types a command that goes on, and waits until it says something on its standard output; its end before that is told. */
  begin(command: string, timeoutMs: number): Promise<TypedCommand | undefined>;
  /** Ctrl-C for what was begun, and its end. */
  interrupt(): Promise<TypedCommand | undefined>;
  /** Closes the window: what still runs in it is hung up on. */
  close(): Promise<void>;
}

/** What is ended by Ctrl-C or a closed window puts its things in order first. */
const END_MS = 30_000;

/**
 * Commands come through a pipe of their own, so that no program reads them as its input, and are evaluated in this one shell.
 * Ctrl-C ends the program that runs and not the shell, as in a window.
 */
const SHELL = `trap : INT; while IFS= read -r -d '' -u 3 typed; do eval "$typed" 3<&- 4>&-; printf '%s\\n' "$?" >&4; done`;

export function openTerminal({ folder, env, onOutput }: TerminalOptions): Terminal {
  // Its group is its own: Ctrl-C reaches what runs in it, and nobody else.
  const shell = spawn('bash', ['--noprofile', '--norc', '-c', SHELL], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, commands, codes] = shell.stdio as unknown as [
    ...[null, Readable, Readable, Writable, Readable],
  ];
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  // A shell that is gone is told by its end; the pipe to it breaks too.
  commands.on('error', () => {});
  let output = '';
  let said = Promise.withResolvers<void>();
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    onOutput?.(text);
    said.resolve();
  });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    onOutput?.(text);
  });
  const waiting: ((code: number | null) => void)[] = [];
  let unread = '';
  codes.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${unread}${text}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) waiting.shift()?.(Number(line));
  });
  let isGone = false;
  shell.once('exit', () => {
    isGone = true;
    for (const tell of waiting.splice(0)) tell(null);
  });
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };

  function send(command: string): Promise<TypedCommand> {
    const startedAt = performance.now();
    output = '';
    said = Promise.withResolvers<void>();
    const told = (code: number | null): TypedCommand => ({
      ...{ command, code, output, seconds: (performance.now() - startedAt) / 1000 },
    });
    if (isGone) return Promise.resolve(told(null));
    const { promise, resolve } = Promise.withResolvers<number | null>();
    waiting.push(resolve);
    commands.write(`${command}\0`);
    // What was printed before the code may still be on its way.
    return promise.then(async (code) => (await sleep(20), told(code)));
  }

  let begun: Promise<TypedCommand> | undefined;
  const interrupt = async (): Promise<TypedCommand | undefined> => {
    if (begun === undefined) return undefined;
    signal('SIGINT');
    const end = await Promise.race([begun, sleep(END_MS)]);
    if (end === undefined) signal('SIGKILL');
    const last = end ?? (await begun);
    begun = undefined;
    return last;
  };
  return {
    async type(command, timeoutMs) {
      begun = send(command);
      const end = await Promise.race([begun, sleep(timeoutMs)]);
      if (end === undefined) return { ...((await interrupt()) as TypedCommand), code: null };
      begun = undefined;
      return end;
    },
    async begin(command, timeoutMs) {
      begun = send(command);
      const end = await Promise.race([begun, said.promise, sleep(timeoutMs, 'late' as const)]);
      if (end === 'late') return { ...((await interrupt()) as TypedCommand), code: null };
      if (end !== undefined) begun = undefined;
      return end ?? undefined;
    },
    interrupt,
    async close() {
      await interrupt();
      commands.end();
      signal('SIGTERM');
      if ((await Promise.race([ended, sleep(END_MS, 'late' as const)])) === 'late') signal('SIGKILL');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
