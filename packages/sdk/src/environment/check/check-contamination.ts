import type { OpenedEnvironment } from '../definition.ts';
import { textOf } from '../policy/read-completions.ts';
import type { Drawn, Split } from '../split.ts';
import { findContamination, type Contamination, type NamedText } from './find-contamination.ts';
import { contextOf } from './grade-text.ts';

/** A generator of tasks has no end; of a list all are looked at up to this many. */
const MOST_TRAINING_ITEMS = 20_000;

/** Holds the prompts of the evaluation split against those of training, and against texts of elsewhere. */
export async function checkContamination(
  environment: OpenedEnvironment,
  others: AsyncIterable<NamedText> | Iterable<NamedText> = [],
): Promise<Contamination> {
  const evaluation: NamedText[] = [];
  for (const drawn of await environment.listEvaluationItems()) evaluation.push(await readPrompt(environment, drawn));
  return await findContamination({ evaluation, training: listTraining(environment, others) });
}

async function* listTraining(
  environment: OpenedEnvironment,
  others: AsyncIterable<NamedText> | Iterable<NamedText>,
): AsyncGenerator<NamedText> {
  const seen = new Set<string>();
  for (let index = 0; index < MOST_TRAINING_ITEMS; index += 1) {
    const drawn = await environment.drawTrainItem(index);
    // After the last of a list its first comes again.
    if (drawn === undefined || seen.has(drawn.key)) break;
    seen.add(drawn.key);
    yield await readPrompt(environment, drawn);
  }
  yield* others;
}

async function readPrompt(environment: OpenedEnvironment, drawn: Drawn<Split>): Promise<NamedText> {
  const context = { ...contextOf(environment), split: 'eval' as const, rolloutId: 'contamination' };
  const prompt = await environment.formatPrompt(drawn, context);
  const text = typeof prompt === 'string' ? prompt : prompt.map(({ content }) => textOf(content)).join('\n');
  return { key: drawn.key, text };
}

/** One sentence, and the first few items. */
export function describeContamination({ evaluated, compared, items }: Contamination): string {
  const exact = items.filter(({ isExact }) => isExact).length;
  const more = items.length > MOST_SHOWN ? `  and ${items.length - MOST_SHOWN} more\n` : '';
  return (
    `contamination: ${items.length} of ${evaluated} evaluation items are in training (${exact} word for word, ` +
    `${items.length - exact} for half of their words or more; ${compared} texts compared)\n` +
    items
      .slice(0, MOST_SHOWN)
      .map(({ key, twin, share }) => `  ${key}: ${twin}, ${(100 * share).toFixed(0)} %\n`)
      .join('') +
    more
  );
}

const MOST_SHOWN = 5;
