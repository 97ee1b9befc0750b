import { setTimeout as sleep } from 'node:timers/promises';

import { readKept } from '../judge/read-kept.ts';
import { createWitness, type WitnessVerdict } from '../judge/witness.ts';
import { startCountingModel } from '../subject/start-counting-model.ts';
import type { SubjectJob } from '../subject/job.ts';
import type { Life, WarmProcesses } from './warm-processes.ts';

/** Replies of one prompt. */
export const TURNS = 2;

export interface KillOptions {
  readonly processes: WarmProcesses;
  readonly job: Omit<SubjectJob, 'isResuming' | 'life' | 'modelUrl' | 'role'>;
  /** Processes at once; the first writes the files. */
  readonly workers: number;
  readonly kills: number;
  /** Numbers below 1, from a seed. */
  readonly random: () => number;
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
}

export interface KillReport extends WitnessVerdict {
  kills: number;
  seconds: number;
}

/**
 * Works through a run while its processes are killed: at the moment a call comes in, at the moment its reply leaves, and a
 * little later, when the reply is being written down. Ends when the run has, and all of its kills have fallen before.
 */
export async function runKills(options: KillOptions): Promise<KillReport> {
  const { processes, job, workers, kills, random, timeoutMs, log } = options;
  const witness = createWitness({ concurrency: job.concurrency });
  const begun = performance.now();
  // Kills are spread over the calls there are, so that the last falls before the end.
  const total = job.prompts * TURNS;
  const planned = Array.from({ length: kills }, (_, at) => Math.floor(((at + random()) / (kills + 1)) * total * 0.92));
  let calls = 0;
  let done = 0;
  let blow = Promise.withResolvers<void>();
  const seen = (moment: 'answered' | 'asked'): void => {
    if (calls < (planned[done] ?? Number.POSITIVE_INFINITY)) return;
    if (moment === (done % 2 === 0 ? 'asked' : 'answered')) blow.resolve();
  };
  let whole = Promise.withResolvers<void>();
  whole.resolve();
  // Nor is anybody answered before every process has asked: a short run would be over before the last had begun.
  const asking = new Set<string>();
  const begunByAll = Promise.withResolvers<void>();
  await using model = await startCountingModel({
    ...{ turns: TURNS, thinkMs: 2 },
    onAsked(call) {
      const answered = witness.asked(call);
      calls += 1;
      if (asking.add(call.life).size >= workers) begunByAll.resolve();
      seen('asked');
      return () => {
        answered();
        seen('answered');
      };
    },
    ready: () => Promise.all([begunByAll.promise, whole.promise]),
  });
  const jobOf = (slot: number, isResuming: boolean): Omit<SubjectJob, 'life'> => ({
    ...job,
    ...{ modelUrl: model.url, isResuming, role: slot === 0 ? 'batch' : 'worker' },
  });
  const lives: Life[] = [];
  for (let slot = 0; slot < workers; slot += 1) lives.push(await processes.start(jobOf(slot, false)));
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const leader = lives[0] as Life;
    const ended = await Promise.race([
      leader.exited.then((code) => ({ code })),
      blow.promise.then(() => undefined),
      sleep(Math.max(0, deadline - performance.now()), 'late' as const),
    ]);
    if (ended === 'late') throw new Error(`not done after ${timeoutMs} ms; ${done} kills, ${calls} calls`);
    if (ended !== undefined) {
      if (ended.code !== 0) throw new Error(`the run ended with ${ended.code}:\n${leader.complaint()}`);
      break;
    }
    const slot = Math.floor(random() * workers);
    const victim = lives[slot] as Life;
    // Every third falls a moment later, into the writing.
    if (done % 3 === 2) await sleep(random() * 12);
    victim.child.kill('SIGKILL');
    // Nobody is answered until the next life is there, so that nothing the dead one had is written by another meanwhile.
    whole = Promise.withResolvers();
    const touched = witness.killed(victim.name);
    await victim.exited;
    witness.found(victim.name, await readKept(job, touched));
    done += 1;
    blow = Promise.withResolvers();
    if (done % 10 === 0) log(`${done} kills, ${calls} calls`);
    // A kill before the run was there leaves nothing to resume; nothing was asked then either.
    lives[slot] = await processes.start(jobOf(slot, true));
    whole.resolve();
  }
  for (const { child, exited } of lives.slice(1)) {
    const code = await Promise.race([exited, sleep(10_000, 'late' as const)]);
    if (code === 'late') child.kill('SIGKILL');
  }
  return { ...witness.read(), kills: done, seconds: (performance.now() - begun) / 1000 };
}
