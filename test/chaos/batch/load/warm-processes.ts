import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { SubjectJob } from '../subject/job.ts';

const SUBJECT = fileURLToPath(new URL('../subject/batch-process.ts', import.meta.url));

export interface Life {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  complaint(): string;
}

/** Processes that have loaded everything and wait for their job: a kill costs the work of a life and not its beginning. */
export interface WarmProcesses extends AsyncDisposable {
  start(job: Omit<SubjectJob, 'life'>): Promise<Life>;
}

export function openWarmProcesses({ spare, cache }: { spare: number; cache: string }): WarmProcesses {
  const all = new Set<ChildProcess>();
  const ready: Promise<ChildProcess>[] = [];
  let count = 0;
  const load = async (): Promise<ChildProcess> => {
    const child = fork(SUBJECT, {
      // A young space that loading does not fill over and over: a life is mostly its beginning.
      execArgv: ['--conditions=lachesis-source', '--min-semi-space-size=32'],
      // Sources are compiled once for all lives.
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    all.add(child);
    child.once('exit', () => all.delete(child));
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('a process under test ended before it began');
      }),
    ]);
    return child;
  };
  const fill = (): void => {
    while (ready.length < spare) {
      const loading = load();
      // Looked at when it is taken.
      loading.catch(() => undefined);
      ready.push(loading);
    }
  };
  fill();
  return {
    async start(job) {
      const child = await (ready.shift() ?? load());
      fill();
      count += 1;
      const name = `life-${count}`;
      let complaint = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
      const { promise: exited, resolve } = Promise.withResolvers<number | null>();
      child.once('exit', (code) => resolve(code));
      child.send({ ...job, life: name } satisfies SubjectJob);
      return { name, child, exited, complaint: () => complaint };
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(ready);
      const ends = [...all].map((child) => once(child, 'exit'));
      for (const child of all) child.kill('SIGKILL');
      await Promise.all(ends);
    },
  };
}
