import { judgeLearning, toCurves } from '@lachesis/server';
import { readFile } from 'node:fs/promises';

type Learning = Parameters<typeof judgeLearning>[0];

/** What is said at the end of a run that did not learn; empty when it did, or was too short to tell. */
export async function describeLearning(metricsFile: string, known: Omit<Learning, 'curves'>): Promise<string> {
  // A run that ended before its first step has no such file.
  const text = await readFile(metricsFile, 'utf8').catch(() => '');
  const [found] = judgeLearning({ ...known, curves: toCurves(text.split('\n').flatMap(readPoints)) });
  return found === undefined ? '' : `it did not learn: ${found.message}.\n  ${found.command}\n`;
}

/** A line that was cut off by a kill is no step. */
function readPoints(line: string): { series: string; step: number; value: number }[] {
  try {
    const { step, ...values } = JSON.parse(line) as Record<string, unknown>;
    if (typeof step !== 'number') return [];
    return Object.entries(values).flatMap(([series, value]) =>
      typeof value === 'number' ? [{ series, step, value }] : [],
    );
  } catch {
    return [];
  }
}
