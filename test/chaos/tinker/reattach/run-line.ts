import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../../kit/start-process.ts';
import type { RunningProcess } from '../../../kit/start-process.ts';
import type { Tuft } from '../../../peers/tuft/start-tuft.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Random } from '../../simulation/random.ts';
import { readTuftRecord } from '../judge/read-tuft-record.ts';
import type { TinkerRequest } from '../proxy/read-request.ts';
import { startStormProxy } from '../proxy/start-storm-proxy.ts';
import type { StormProxy } from '../proxy/start-storm-proxy.ts';
import type { Fate } from '../proxy/fate.ts';
import type { TrainerLine } from './trainer-line.ts';

/**
 * Where a kill strikes. `before` and `after`: a request has not arrived, or has arrived and its reply never comes, so the
 * journal does not have it. `passed`: as the reply goes out. `poll`: while a result is asked for.
 */
export type Moment = 'after' | 'before' | 'passed' | 'poll';

export interface LineOptions {
  readonly tuft: Tuft;
  readonly moments: readonly Moment[];
  readonly random: Random;
  /** What the program believes when it starts again; the server by default. */
  readonly believes?: 'journal' | 'server';
}

/** What became of a program that was killed again and again. */
export interface LineReport {
  /** Operations it had to do; its n-th takes the n-th number. */
  readonly total: number;
  /** Which ones the server carried out, in its order. */
  readonly carriedOut: readonly number[];
  /** Requests that reached the server although the same operation had before. */
  readonly sentTwice: number;
  /** Results that were read by a later life than the one that asked. */
  readonly collected: number;
  /** Requests in the journal whose end is not. */
  readonly pending: number;
  /** Operations the journal does not have, because the reply never came. */
  readonly unwritten: number;
}

/** Operations of one life before it is killed. */
const LIFE = 8;
const TRAINER = fileURLToPath(new URL('trainer-process.ts', import.meta.url));
/** Starting a process takes seconds on a busy machine, a life of eight operations less. */
const LIFE_TIMEOUT_MS = 60_000;

/** One training program through all its lives, each killed at its moment but the last. */
export async function runLine(context: ScenarioContext, options: LineOptions): Promise<LineReport> {
  const { tuft, moments } = options;
  const proxy = await startStormProxy({ port: Number(new URL(tuft.url).port), decide: () => ({ kind: 'pass' }) });
  context.defer(() => proxy.end());
  const journal = join(await context.scratch(), 'journal.jsonl');
  const total = (moments.length + 1) * LIFE;
  const lines: TrainerLine[] = [];
  for (const moment of [...moments, undefined]) await runLife({ ...options, proxy, journal, total, lines, moment });

  const executions = await readTuftRecord({ ...tuft, passages: proxy.passages });
  const reached = proxy.passages.filter((passage) => passage.reached);
  return {
    total,
    carriedOut: executions.map(({ key }) => Number(key.split(':')[1])),
    sentTwice: reached.length - new Set(reached.map(({ key }) => key)).size,
    collected: lines.filter(({ kind }) => kind === 'collected').length,
    ...readJournal(await readFile(journal, 'utf8'), total),
  };
}

interface Life extends LineOptions {
  readonly proxy: StormProxy;
  readonly journal: string;
  readonly total: number;
  readonly lines: TrainerLine[];
  /** When it is killed; undefined for the last one. */
  readonly moment: Moment | undefined;
}

async function runLife(life: Life): Promise<void> {
  const { tuft, proxy, journal, total, lines, random, moment, believes = 'server' } = life;
  let trainer: RunningProcess | undefined;
  let isStruck = false;
  let requests = 0;
  const struck = 2 + random.below(LIFE - 2);
  proxy.decide = ({ key, path }: TinkerRequest): Fate => {
    if (moment === undefined || isStruck) return { kind: 'pass' };
    const isMeant = moment === 'poll' ? path === 'retrieve_future' : key !== undefined;
    if (!isMeant || (requests += 1) < struck) return { kind: 'pass' };
    isStruck = true;
    const strike = (): void => void trainer?.signal('SIGKILL');
    return { kind: 'strike', strike, when: moment === 'poll' ? 'before' : moment };
  };
  const facts = [proxy.url, tuft.apiKey, tuft.baseModel, journal, String(total), believes];
  trainer = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', TRAINER, ...facts],
    name: 'the training program',
    onLine: (line) => lines.push(JSON.parse(line) as TrainerLine),
  });
  const alarm = setTimeout(() => trainer?.signal('SIGTERM'), LIFE_TIMEOUT_MS);
  const { signal, code } = await trainer.exited;
  clearTimeout(alarm);
  const isRight = moment === undefined ? code === 0 : signal === 'SIGKILL';
  if (!isRight) throw new Error(`the training program ended with ${signal ?? code}: ${trainer.logs()}`);
}

function readJournal(text: string, total: number): Pick<LineReport, 'pending' | 'unwritten'> {
  const entries = text.trim().split('\n').flatMap(readEntry);
  const settled = new Set(entries.filter(({ kind }) => kind === 'settled').map(({ requestId }) => requestId));
  const submitted = entries.filter(({ kind }) => kind === 'submitted');
  return {
    pending: submitted.filter(({ requestId }) => !settled.has(requestId)).length,
    unwritten: total - submitted.length,
  };
}

/** A kill may leave half a line. */
function readEntry(line: string): { readonly kind: string; readonly requestId?: string }[] {
  try {
    return [JSON.parse(line) as { kind: string; requestId?: string }];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
