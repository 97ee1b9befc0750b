import { pino, type Logger } from 'pino';

export interface CreateLogOptions {
  name: string;
  level?: string;
  /**
   * A sentence for a person instead of JSON; what else a line holds is left out, but for the reason of a failure. So on a
   * terminal, unless `LACHESIS_LOG=json` asks for the lines of machines.
   */
  isPlain?: boolean;
}

/** Sentences on a terminal, else JSON lines; on standard error: standard output belongs to what a command prints. */
export function createLog({ name, level = 'info', isPlain = isOnTerminal() }: CreateLogOptions): Logger {
  return pino(
    {
      name,
      // A person is told what is wrong, and of the rest only what was asked for.
      level: isPlain && level === 'info' ? 'warn' : level,
      redact: { paths: ['req.headers.authorization', 'token', '*.token', 'databaseUrl'], censor: '[redacted]' },
    },
    isPlain
      ? createPlainWriter({ write: (text) => void process.stderr.write(text), isColoured: isColoured() })
      : pino.destination({ fd: 2, sync: false }),
  );
}

const isOnTerminal = (): boolean => process.stderr.isTTY && process.env['LACHESIS_LOG'] !== 'json';

const isColoured = (): boolean => process.stderr.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';

/** The same sentence again within this time is not shown: a server that is away fails at every call. */
const QUIET_MS = 10_000;

/** One sentence a line, dim where there are colours. */
export function createPlainWriter({ write, isColoured }: { write: (text: string) => void; isColoured: boolean }): {
  write: (line: string) => void;
} {
  let last = { text: '', time: Number.NEGATIVE_INFINITY };
  return {
    write(line) {
      const text = toPlainLine(line);
      const { time } = JSON.parse(line) as { time: number };
      if (text === last.text && time - last.time < QUIET_MS) return;
      last = { text, time };
      write(isColoured ? `\u001B[2m${text.trimEnd()}\u001B[22m\n` : text);
    },
  };
}

/** What one line of JSON tells a person. */
export function toPlainLine(line: string): string {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
  const parts = [msg, err?.message].filter((part) => part !== undefined && part !== '');
  // A reason may hold lines of its own, such as those of a stack.
  return `lachesis: ${parts.join(': ').split('\n', 1)[0] ?? ''}\n`;
}
