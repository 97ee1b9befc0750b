import { findQuantile } from '../../../kit/quantiles.ts';
import type { Question } from './questions.ts';
import type { RunReader } from './reader.ts';

export interface Figures {
  kind: string;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  wrong: number;
}

/** Asks each kind of question a number of times, and looks at every answer. */
export async function measureQuestions(options: {
  reader: RunReader;
  questions: readonly Question[];
  times: number;
}): Promise<Figures[]> {
  const { reader, questions, times } = options;
  const figures: Figures[] = [];
  for (const { kind, ask } of questions) {
    const taken: number[] = [];
    let wrong = 0;
    for (let time = 0; time < times; time += 1) {
      const startedAt = performance.now();
      const isRight = await ask(reader, time);
      taken.push(performance.now() - startedAt);
      if (!isRight()) wrong += 1;
    }
    figures.push({
      ...{ kind, wrong, maxMs: Math.max(...taken) },
      ...{ p50Ms: findQuantile(taken, 0.5), p95Ms: findQuantile(taken, 0.95) },
    });
  }
  return figures;
}
