import { createRandom } from '../simulation/random.ts';
import type { FuzzCase } from './cases/draft.ts';
import { makeCase } from './cases/make-case.ts';
import type { DraftOf } from './cases/make-case.ts';
import { Memory } from './cases/memory.ts';
import { Lane } from './wire/lane.ts';
import type { Exchange } from './wire/lane.ts';

/** Enough to keep two cores busy while slow senders and fsyncs are waited for. */
const LANES = 24;
/** Far enough apart that two seeds share no case. */
const SEED_STRIDE = 1_000_003;

export interface Finding {
  /** Which case of the seed, from 1. */
  readonly number: number;
  readonly what: string;
  /** The first bytes that were sent. */
  readonly request: string;
}

export interface FuzzOutcome {
  readonly cases: number;
  /** Answers of 500 and more. */
  readonly failures: readonly Finding[];
  /** Well-formed requests that were cut off or left without an answer. */
  readonly unanswered: readonly Finding[];
  readonly statuses: ReadonlyMap<number, number>;
  /** Routes that at least one case got a 2xx from. */
  readonly reached: ReadonlySet<string>;
  /** Of well-formed requests, from the last byte sent to the answer. */
  readonly latenciesMs: readonly number[];
}

export interface FuzzOptions {
  readonly port: number;
  readonly seed: number;
  readonly cases: number;
  /** What earlier answers told; its own by default. */
  readonly memory?: Memory;
  readonly stopsAtFailure?: boolean;
  /** The requests of another server than the trajectory API. */
  readonly draftOf?: DraftOf;
  /** Statuses of 500 and more that this server gives on purpose, because what stands behind it does not answer. */
  readonly declared?: readonly number[];
}

/** Sends the cases of a seed over a few connections. What the server answers decides where some of them go. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzOutcome> {
  const { port, seed, cases, memory = new Memory(), stopsAtFailure = false, draftOf, declared = [] } = options;
  const failures: Finding[] = [];
  const unanswered: Finding[] = [];
  const statuses = new Map<number, number>();
  const reached = new Set<string>();
  const latenciesMs: number[] = [];
  let sent = 0;

  const note = (number: number, fuzzCase: FuzzCase, { replies, end, elapsedMs }: Exchange): void => {
    for (const reply of replies) {
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      if (reply.status >= 500 && !declared.includes(reply.status))
        failures.push({ number, what: describeFailure(reply), request: describeCase(fuzzCase) });
      if (reply.status >= 200 && reply.status < 300) reached.add(fuzzCase.route);
      memory.learn(fuzzCase.run, reply);
    }
    if (fuzzCase.manner !== 'orderly') return;
    if (end === 'answered') latenciesMs.push(elapsedMs);
    else unanswered.push({ number, what: `${end} after ${elapsedMs.toFixed(0)} ms`, request: describeCase(fuzzCase) });
  };
  const work = async (): Promise<void> => {
    const lane = new Lane(port);
    while (sent < cases && !(stopsAtFailure && failures.length > 0)) {
      const number = ++sent;
      const fuzzCase = makeCase(createRandom(seed * SEED_STRIDE + number), memory, draftOf);
      note(number, fuzzCase, await lane.send(fuzzCase));
    }
    lane.close();
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return { cases: sent, failures, unanswered, statuses, reached, latenciesMs };
}

function describeFailure({ status, body }: Exchange['replies'][number]): string {
  return `${status} ${body.toString('latin1', 0, 200)}`;
}

function describeCase({ manner, pieces }: FuzzCase): string {
  return `${manner} ${JSON.stringify(Buffer.concat(pieces).toString('latin1', 0, 1_000))}`;
}
