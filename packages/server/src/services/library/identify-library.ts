import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { listDatabaseAddresses } from '@lachesis/store/database-url';

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
  const [first, ...others] = listDatabaseAddresses(databaseUrl).map((address) => new URL(address));
  // Servers of one database, in whichever order they are named.
  const hosts = [first, ...others].map((url) => `${url?.hostname}:${url?.port}`).toSorted();
  // The schema is chosen there.
  return `postgres:${hosts.join(',')}${first?.pathname}:${first?.searchParams.get('options') ?? ''}`;
}
