import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedSummarizer } from '../../../conformance/hermes-batch/compress/start-scripted-summarizer.ts';
import type { Random } from '../../../conformance/render/random.ts';
import type { CompressionJob } from './compress-process.ts';
import { countInFlight } from './count-in-flight.ts';
import { startCompression } from './start-compression.ts';

const LIFE_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 2;

export interface RunWithKillsOptions {
  readonly server: ScriptedSummarizer;
  readonly job: CompressionJob;
  /** Where compiled code is kept: lives are short, and most of each would be its start. */
  readonly cache: string;
  readonly log: (text: string) => void;
  readonly kills: number;
  /** Questions that are still to be asked when nothing goes wrong. */
  readonly questions: number;
  readonly random: Random;
  /** Whether the last life may come to its end. */
  readonly isFinished: boolean;
}

export interface Kills {
  readonly kills: number;
  /** Calls in flight at each kill, as the server and the disk have them. */
  readonly inFlight: readonly number[];
}

export const countCalls = ({ asked }: Pick<ScriptedSummarizer, 'asked'>): number => {
  let sum = 0;
  for (const each of asked.values()) sum += each;
  return sum;
};

/** Starts the compression again and again and kills it with -9, each time a little behind some question. */
export async function runWithKills(options: RunWithKillsOptions): Promise<Kills> {
  const { server, random, job, cache } = options;
  const inFlight: number[] = [];
  const share = Math.max(1, Math.ceil((options.questions / options.kills) * 1.2));
  let next = startCompression({ cache });
  try {
    while (inFlight.length < options.kills) {
      const before = new Map(server.asked);
      // Most lives end in the middle of their calls; some before the first one.
      const until = countCalls(server) + (random.chance(0.1) ? 0 : 1 + random.integer(share));
      await using child = next;
      await child.begin(job);
      // The next one loads while this one works.
      next = startCompression({ cache });
      const deadline = performance.now() + LIFE_LIMIT_MS;
      while (child.isRunning() && countCalls(server) < until && performance.now() < deadline)
        await sleep(LOOK_EVERY_MS);
      await sleep(random.integer(25));
      if (!(await child.kill())) {
        await child.finished();
        // It was done before it could be killed.
        return { kills: inFlight.length, inFlight };
      }
      // What it had sent may still lie before the server.
      await server.whenAlone();
      const calls = new Map(Array.from(server.asked, ([digest, times]) => [digest, times - (before.get(digest) ?? 0)]));
      inFlight.push(await countInFlight({ calls, journal: `${job.output}.summaries` }));
      if (inFlight.length % 10 === 0) options.log(`${inFlight.length} kills, ${countCalls(server)} calls`);
    }
    if (options.isFinished) {
      await next.begin(job);
      await next.finished();
    }
    return { kills: inFlight.length, inFlight };
  } finally {
    await next[Symbol.asyncDispose]();
  }
}
