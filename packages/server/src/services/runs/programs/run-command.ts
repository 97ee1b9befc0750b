import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Program } from './program.ts';

export interface RunCommandOptions {
  program: Program;
  arguments: readonly string[];
  /** What is ours alone is taken out. */
  env: Readonly<Record<string, string | undefined>>;
  workingDirectory: string;
  signal: AbortSignal;
  /** Given on standard input. */
  input?: string | undefined;
  /** Standard input stays open, for answers to what it says. */
  converses?: true | undefined;
  /** Told each line of standard output. What is sent is a line of standard input of a command that converses. */
  onLine: (line: string, send: (line: string) => void) => void;
  /** Everything it says goes there too. */
  logPath?: string | undefined;
}

const LAST_LINES = 5;
const LONGEST = 1_000;
/** From the request to the hard end. */
const GRACE_MS = 5_000;

/** Runs a command of this program to its end. What it loads, it loads in a process of its own. */
export async function runCommand(options: RunCommandOptions): Promise<{ code: number | null; lastWords: string }> {
  const { program, signal, logPath } = options;
  signal.throwIfAborted();
  const { LACHESIS_CHILD_SETTINGS: _settings, LACHESIS_PROGRAM: _program, ...inherited } = options.env;
  const child = spawn(program.file, [...program.arguments, ...options.arguments], {
    cwd: options.workingDirectory,
    env: inherited,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // One that ends before it has read everything says why by its code.
  child.stdin.on('error', () => undefined);
  if (options.converses !== true) child.stdin.end(options.input ?? '');
  const send = (line: string): void => void (child.stdin.writable && child.stdin.write(`${line}\n`));
  const log = logPath === undefined ? undefined : createWriteStream(logPath, { flags: 'a' });
  // A full disk ends no test: the reply still says what was seen.
  log?.on('error', () => undefined);
  const said: string[] = [];
  const note = (line: string): void => void log?.write(`${line}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    note(line);
    options.onLine(line, send);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    note(line);
    said.push(line);
    if (said.length > LAST_LINES) said.shift();
  });
  let hardEnd: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    hardEnd = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, lastWords: said.join('\n').slice(-LONGEST) };
  } finally {
    clearTimeout(hardEnd);
    signal.removeEventListener('abort', end);
    log?.end();
  }
}
