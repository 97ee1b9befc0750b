import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../kit/start-process.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const EVERY_MS = 100;

export interface CliRun {
  /** Of the work alone, as the metrics file has it. */
  readonly seconds: number;
  readonly wholeSeconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly rows: number;
  readonly compressed: number;
  readonly stillOver: number;
}

/** `lachesis compress` as people run it: a process of its own, watched from outside. */
export const runCli = (args: readonly string[], timeoutMs: number): Promise<CliRun> =>
  watchProcess(['packages/cli/src/main.ts', 'compress', '--json', ...args], timeoutMs);

/** A program of this repository that compresses and prints the metrics as its last line. */
export async function watchProcess(program: readonly string[], timeoutMs: number): Promise<CliRun> {
  const lines: string[] = [];
  const startedAt = performance.now();
  await using child = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', ...program],
    ...{ cwd: ROOT, name: 'compression', env: { SCRIPTED_KEY: 'no-key' } },
    onLine: (line) => lines.push(line),
  });
  let peakBytes = 0;
  let cpuSeconds = 0;
  const look = (): void => {
    const tree = readProcessTree(child.pid);
    peakBytes = Math.max(peakBytes, tree.rssBytes);
    cpuSeconds = Math.max(cpuSeconds, tree.cpuSeconds);
  };
  const watch = setInterval(look, EVERY_MS);
  const limit = setTimeout(() => void child.stop({ signal: 'SIGKILL' }), timeoutMs);
  const { code } = await child.exited;
  clearInterval(watch);
  clearTimeout(limit);
  if (code !== 0) throw new Error(`${program[0]} ended with ${code ?? 'a signal'}:\n${child.logs()}`);
  const wholeSeconds = (performance.now() - startedAt) / 1000;
  const { processing, summary } = JSON.parse(lines.at(-1) ?? '') as {
    processing: { duration_seconds: number };
    summary: {
      total_trajectories: number;
      trajectories_compressed: number;
      trajectories_still_over_limit: number;
    };
  };
  return {
    ...{ seconds: processing.duration_seconds, wholeSeconds, cpuSeconds, peakBytes },
    ...{ rows: summary.total_trajectories, compressed: summary.trajectories_compressed },
    stillOver: summary.trajectories_still_over_limit,
  };
}
