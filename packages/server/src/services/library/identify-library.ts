import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

const DIGITS = 16;

/**
 * A short name for where the rows are, the same for whoever was given the same place. A command compares it with its
 * own before it speaks to a server it found by its port: that server may belong to another home.
 */
export function identifyLibrary({ home, databaseUrl }: { home: string; databaseUrl: string | undefined }): string {
  const place = databaseUrl === undefined ? `file:${resolve(home)}` : withoutPassword(databaseUrl);
  return createHash('sha256').update(place).digest('hex').slice(0, DIGITS);
}

/** The name is public; a password must not be guessable from it. */
function withoutPassword(databaseUrl: string): string {
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl);
  // The schema is chosen there.
  return `postgres:${hostname}:${port}${pathname}:${searchParams.get('options') ?? ''}`;
}
