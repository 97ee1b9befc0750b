import { failed, ok, warn, type CheckResult } from './finding.ts';

const GIB = 1024 ** 3;
/** With less a run is refused before it starts. */
const LEAST_FREE_BYTES = GIB;
/** The engine takes 0.9 GB, and checkpoints and groups some more. */
const EASY_FREE_BYTES = 5 * GIB;

export function checkDisk({ freeBytes, path }: { freeBytes: number; path: string }): CheckResult {
  const free = `${(freeBytes / GIB).toFixed(1)} GiB free in ${path}`;
  const fix = 'Make room there, or choose another folder with LACHESIS_HOME.';
  if (freeBytes < LEAST_FREE_BYTES) return failed(`only ${free}`, fix);
  return freeBytes < EASY_FREE_BYTES ? warn(`only ${free}`, fix) : ok(free);
}

export interface ClockFacts {
  /** Of this machine, in milliseconds. */
  readonly now: number;
  /** How far the database is ahead of us; undefined when it was not asked. */
  readonly databaseAheadMs: number | undefined;
  /** How far the clock on the wall moved away from the one that only runs on, while we looked. */
  readonly drift: { wallMs: number; monotonicMs: number };
}

/** Before this the program did not exist. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** Leases are given for some tens of seconds on the clock of the database. */
const MOST_AHEAD_MS = 5_000;
/** Timers of a busy machine are late on both clocks alike; a difference is a clock that is being set. */
const MOST_DRIFT_MS = 100;

export function checkClock({ now, databaseAheadMs, drift }: ClockFacts): CheckResult {
  const fix = 'Switch the time service on, for example with `timedatectl set-ntp true`.';
  if (now < EARLIEST) return failed(`it says ${new Date(now).toISOString()}, which is past`, fix);
  const drifted = drift.wallMs - drift.monotonicMs;
  if (drift.monotonicMs <= 0 || Math.abs(drifted) > MOST_DRIFT_MS) {
    return warn(`the clock moved by ${Math.round(drifted)} ms while it was watched`, fix);
  }
  if (databaseAheadMs === undefined) return ok('runs evenly');
  const difference = `${Math.abs(Math.round(databaseAheadMs))} ms ${databaseAheadMs < 0 ? 'behind' : 'ahead of'} this machine`;
  return Math.abs(databaseAheadMs) > MOST_AHEAD_MS
    ? warn(
        `the database is ${difference}`,
        'Set both by one time service: times in lists and charts are off until then.',
      )
    : ok(`runs evenly, within ${Math.max(1, Math.abs(Math.round(databaseAheadMs)))} ms of the database`);
}

type DatabaseName = 'PostgreSQL' | 'SQLite';

export type DatabaseFacts =
  | { state: 'absent'; path: string; isWritable: boolean }
  | { state: 'broken'; name: DatabaseName; reason: string }
  | { state: 'open'; name: DatabaseName; applied: number; known: number; isWritable: boolean };

export function checkDatabase(facts: DatabaseFacts): CheckResult {
  if (facts.state === 'absent') {
    return facts.isWritable
      ? ok(`none yet; it is made in ${facts.path} at first use`)
      : failed(
          `${facts.path} cannot be written`,
          'Give the folder to this user, or choose another with LACHESIS_HOME.',
        );
  }
  if (facts.state === 'broken') {
    return failed(
      `${facts.name} does not open: ${facts.reason}`,
      facts.name === 'SQLite'
        ? 'Look at the owner and the space of the folder, or begin anew with another LACHESIS_HOME.'
        : 'Look at DATABASE_URL, and whether that server is up.',
    );
  }
  const { name, applied, known, isWritable } = facts;
  if (!isWritable) return failed(`${name} opens and cannot be written`, 'Give this user the right to write to it.');
  return applied > known
    ? warn(
        `${name} has ${applied} migrations, and this version knows ${known}`,
        'Update this program: a newer one has used the database.',
      )
    : ok(`${name} opens, ${applied} of ${known} migrations, writable`);
}

/** The project file that is in force, by its path; its settings are variables by now. */
export const checkProject = (file: string | undefined): CheckResult =>
  ok(file === undefined ? 'no lachesis.config.yaml here or above' : `${file} is in force`);
