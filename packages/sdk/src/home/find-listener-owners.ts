import { readFileSync } from 'node:fs';

/** The state of a socket that listens. */
const LISTEN = '0A';
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/** The users whose programs listen on a port; undefined where the system has no such table. */
export function findListenerOwners(port: number): readonly number[] | undefined {
  const tables = TABLES.map(readTable).filter((table) => table !== undefined);
  return tables.length === 0 ? undefined : tables.flatMap((table) => ownersIn(table, port));
}

/** Reads the columns `sl local_address rem_address st … uid` of the kernel's table. */
export function ownersIn(table: string, port: number): number[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => state === LISTEN && local.endsWith(wanted))
    .map((columns) => Number(columns[7]));
}

function readTable(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not Linux, or hidden from us.
    return undefined;
  }
}
