import { fail } from '../terminal/fail.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time as it is typed: so long ago, or a date. */
export function readTime(name: string, given: string, now: number): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(given);
  if (ago !== null) return now - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const time = Date.parse(given);
  if (Number.isNaN(time))
    fail(`--${name} wants 30m, 12h, 7d or a date such as 2026-11-15, and ${JSON.stringify(given)} was given.`);
  return time;
}
