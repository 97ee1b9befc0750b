import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';
import type { Order, Report } from './order.ts';

const program = fileURLToPath(new URL('sft-process.ts', import.meta.url));

/** A life that takes longer has hung; with a cold compile cache on a busy machine a whole run takes a minute. */
const LIFE_MS = 180_000;

/** One life of a training process: to its end, or to its death by SIGKILL when it holds. Returns what it said. */
export async function runSft(order: Order): Promise<readonly Report[]> {
  const reports: Report[] = [];
  const { promise: holds, resolve: hold } = Promise.withResolvers<void>();
  await using life = await startProcess({
    name: 'the training process',
    command: process.execPath,
    args: ['--conditions=lachesis-source', program, JSON.stringify(order)],
    onLine: (line) => {
      const report = JSON.parse(line) as Report;
      reports.push(report);
      if (report.kind === 'holding') hold();
    },
  });
  const closed = new Promise<void>((resolve) => life.child.once('close', () => resolve()));
  const timer = setTimeout(() => life.signal('SIGKILL'), LIFE_MS);
  await Promise.race([holds, closed]);
  if (order.holdBefore !== undefined) life.signal('SIGKILL');
  await closed;
  clearTimeout(timer);
  const { code, signal } = await life.exited;
  const ended = order.holdBefore === undefined ? code === 0 : signal === 'SIGKILL';
  if (!ended || (order.holdBefore !== undefined && !reports.some(({ kind }) => kind === 'holding'))) {
    throw new Error(`the training process ended with ${signal ?? `code ${code}`}:\n${life.logs()}`);
  }
  return reports;
}

/** Its losses by step. */
export const lossesOf = (reports: readonly Report[]): ReadonlyMap<number, number> =>
  new Map(reports.flatMap((report) => (report.kind === 'loss' ? [[report.step, report.loss] as const] : [])));
