import { pino, type Logger } from 'pino';

/** JSON lines on standard error: standard output belongs to what a command prints for people. */
export function createLog(options: { name: string; level?: string }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level ?? 'info',
      redact: { paths: ['req.headers.authorization', 'token', '*.token', 'databaseUrl'], censor: '[redacted]' },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}
