import { spawn } from 'node:child_process';
import { Terminal } from './terminal.ts';

export interface RecordOptions {
  readonly command: readonly string[];
  readonly columns: number;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
  /** The moment of the picture; without it the end of the command. */
  readonly isShown?: (text: string) => boolean;
  /** Each time something was written: all that stands there. */
  readonly onText?: (text: string) => void;
}

export interface Recording extends AsyncDisposable {
  readonly terminal: Terminal;
  /** Ctrl-C, and the end of the command. */
  end(): Promise<void>;
}

const ROWS = 50;
const CTRL_C = '\u0003';

/** Runs a command in a pseudo-terminal until it shows what is waited for, or has ended. */
export async function recordTerminal(options: RecordOptions): Promise<Recording> {
  const { columns, isShown, onText } = options;
  const terminal = new Terminal({ columns });
  const shell = `stty cols ${columns} rows ${ROWS} -echo; exec ${options.command.map(quote).join(' ')}`;
  const child = spawn('/usr/bin/script', ['-qefc', shell, '/dev/null'], {
    cwd: options.workingDirectory,
    env: { ...options.env, TERM: 'xterm-256color', NO_COLOR: undefined, CI: undefined },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const shown = Promise.withResolvers<void>();
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  child.once('error', shown.reject);
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    terminal.write(piece);
    if (isShown === undefined && onText === undefined) return;
    const text = terminal.readText();
    onText?.(text);
    if (isShown?.(text) === true) shown.resolve();
  });
  const late = setTimeout(
    () =>
      shown.reject(new Error(`not shown within ${options.limitMs / 1000} s; the screen has:\n${terminal.readText()}`)),
    options.limitMs,
  );
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.stdin.write(CTRL_C);
    await ended;
  };
  try {
    await Promise.race([
      shown.promise,
      ended.then(() => {
        if (isShown !== undefined)
          throw new Error(`the command ended too soon; the screen has:\n${terminal.readText()}`);
      }),
    ]);
    return { terminal, end, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
