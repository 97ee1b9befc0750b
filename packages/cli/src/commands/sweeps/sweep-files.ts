import { homePaths } from '@lachesis/protocol/home';
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SweepPlan } from './plan-sweep.ts';

/** What became of one run of a sweep. Lines are appended and never rewritten. */
export interface SweepLine {
  readonly point: number;
  readonly seed: number;
  readonly run: string;
  /** Steps it was to make, all of earlier rungs included. */
  readonly steps: number;
  /** `started` without an end was interrupted. */
  readonly state: 'ended' | 'failed' | 'started';
  /** The last value of the metric, where it has one. */
  readonly value?: number | undefined;
}

const PLAN = 'sweep.json';
const LINES = 'runs.jsonl';

/** The plan of a sweep; undefined where there is none of that name. */
export async function readSweepPlan(home: string, sweep: string): Promise<SweepPlan | undefined> {
  try {
    return JSON.parse(await readFile(join(homePaths(home).sweeps, sweep, PLAN), 'utf8')) as SweepPlan;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written whole or not at all: who dies in between has begun no run. */
export async function writeSweepPlan(home: string, plan: SweepPlan): Promise<void> {
  const folder = join(homePaths(home).sweeps, plan.sweep);
  await mkdir(folder, { recursive: true });
  const file = join(folder, PLAN);
  await writeFile(`${file}.new`, `${JSON.stringify(plan, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

export async function appendSweepLine(home: string, sweep: string, line: SweepLine): Promise<void> {
  await appendFile(join(homePaths(home).sweeps, sweep, LINES), `${JSON.stringify(line)}\n`);
}

/** In the order in which they were written. */
export async function readSweepLines(home: string, sweep: string): Promise<SweepLine[]> {
  const text = await readFile(join(homePaths(home).sweeps, sweep, LINES), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    },
  );
  return text.split('\n').flatMap((line): SweepLine[] => {
    if (line === '') return [];
    try {
      return [JSON.parse(line) as SweepLine];
    } catch {
      // Cut off when its process died: what it would have said is found out anew.
      return [];
    }
  });
}

/** The newest first. */
export async function listSweeps(home: string): Promise<SweepPlan[]> {
  const names = await readdir(homePaths(home).sweeps).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const plans = await Promise.all(names.map((name) => readSweepPlan(home, name)));
  return plans
    .filter((plan) => plan !== undefined)
    .toSorted((left, right) => right.created_at - left.created_at || (left.sweep < right.sweep ? -1 : 1));
}
