import { readFileSync } from 'node:fs';

/** Descriptors of a server besides its calls: database, threads, logs, outbox, the channel to its parent. */
const RESERVED = 128;
/** One for the caller and one for who answers. */
const PER_CALL = 2;

/** How many files this process may have open; undefined where the system does not tell. Node has raised the soft limit to the hard one. */
export function readFileLimit(
  readLimits = (): string => readFileSync('/proc/self/limits', 'utf8'),
): number | undefined {
  let text: string;
  try {
    text = readLimits();
  } catch {
    // Only Linux tells it there.
    return undefined;
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1];
  return soft === undefined || soft === 'unlimited' ? undefined : Number(soft);
}

/** The calls that a limit of open files has room for, at most `wanted`; null when there is room for none. */
export function fitCalls(wanted: number, fileLimit: number | undefined): number | null {
  if (fileLimit === undefined) return wanted;
  const room = Math.floor((fileLimit - RESERVED) / PER_CALL);
  return room < 1 ? null : Math.min(wanted, room);
}

export const filesNeeded = (calls: number): number => RESERVED + PER_CALL * calls;
