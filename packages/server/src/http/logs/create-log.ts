import { pino, type Logger } from 'pino';

export interface CreateLogOptions {
  name: string;
  level?: string;
  /** A sentence for a person instead of JSON; what else a line holds is left out, but for the reason of a failure. */
  isPlain?: boolean;
}

/** JSON lines on standard error: standard output belongs to what a command prints for people. */
export function createLog({ name, level = 'info', isPlain = false }: CreateLogOptions): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: ['req.headers.authorization', 'token', '*.token', 'databaseUrl'], censor: '[redacted]' },
    },
    isPlain
      ? { write: (line) => void process.stderr.write(toPlainLine(line)) }
      : pino.destination({ fd: 2, sync: false }),
  );
}

/** What one line of JSON tells a person. */
export function toPlainLine(line: string): string {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
  return `lachesis: ${[msg, err?.message].filter((part) => part !== undefined && part !== '').join(': ')}\n`;
}
