import { COMPARED_STEPS, judgeLearning } from '@lachesis/server';
import { readFile } from 'node:fs/promises';

type LearningStep = Parameters<typeof judgeLearning>[0]['first'][number];

/** What is said at the end of a run that did not learn; empty when it did, or was too short to tell. */
export async function describeLearning(metricsFile: string): Promise<string> {
  // A run that ended before its first step has no such file.
  const text = await readFile(metricsFile, 'utf8').catch(() => '');
  const steps = text.split('\n').flatMap(readStep);
  const found = judgeLearning({ first: steps.slice(0, COMPARED_STEPS), recent: steps.slice(-COMPARED_STEPS) });
  return found === undefined ? '' : `it did not learn: ${found.message}.\n  ${found.hint}\n`;
}

/** A line that was cut off by a kill is no step. */
function readStep(line: string): LearningStep[] {
  try {
    const values = JSON.parse(line) as Record<string, unknown>;
    const [step, reward] = [values['step'], values['reward/mean']];
    const [groups, deadGroups] = [values['train/groups'], values['train/dead_groups']];
    const isWhole = [step, reward, groups, deadGroups].every((value) => typeof value === 'number');
    return isWhole ? [{ step, reward, groups, deadGroups } as LearningStep] : [];
  } catch {
    return [];
  }
}
