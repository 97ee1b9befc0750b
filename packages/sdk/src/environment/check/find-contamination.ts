/** A text that is asked about, under the name of its item. */
export interface NamedText {
  readonly key: string;
  readonly text: string;
}

/** An evaluation item that training has, or has much of. */
export interface ContaminatedItem {
  readonly key: string;
  /** The training item that is most like it. */
  readonly twin: string;
  /** Word for word, but for case and punctuation. */
  readonly isExact: boolean;
  /** Which part of its runs of eight words the twin has; 1 where it is the same. */
  readonly share: number;
}

export interface Contamination {
  readonly evaluated: number;
  /** Training texts that were looked at. */
  readonly compared: number;
  /** In the order of the evaluation items. */
  readonly items: readonly ContaminatedItem[];
}

/** Long enough not to be a turn of phrase; data sets are cleaned by runs of 8 to 13 words. */
const RUN_WORDS = 8;
/** An item half of which stood in training is not new. */
const LEAST_SHARE = 0.5;
/** What so many evaluation items have in common is how they are asked, and not what. */
const COMMON_SHARE = 0.05;

/**
 * Evaluation texts that are among the training texts, whole or for the most part. Runs of words that many evaluation texts share
 * (a template, a system prompt) count for nothing; a text that has no run of its own is compared as a whole.
 */
export async function findContamination({
  evaluation,
  training,
}: {
  evaluation: readonly NamedText[];
  training: AsyncIterable<NamedText> | Iterable<NamedText>;
}): Promise<Contamination> {
  const whole = new Map<string, number[]>();
  const runs = new Map<string, number[]>();
  for (const [index, { text }] of evaluation.entries()) {
    const words = splitWords(text);
    append(whole, words.join(' '), index);
    for (const run of new Set(listRuns(words))) append(runs, run, index);
  }
  const most = Math.max(1, COMMON_SHARE * evaluation.length);
  const own = evaluation.map(() => 0);
  for (const [run, indices] of runs) {
    if (indices.length > most) runs.delete(run);
    else for (const index of indices) own[index] = (own[index] ?? 0) + 1;
  }
  const found = new Map<number, Omit<ContaminatedItem, 'key'>>();
  let compared = 0;
  for await (const { key: twin, text } of training) {
    compared += 1;
    const words = splitWords(text);
    for (const index of whole.get(words.join(' ')) ?? []) found.set(index, { twin, isExact: true, share: 1 });
    const hits = new Map<number, number>();
    for (const run of new Set(listRuns(words)))
      for (const index of runs.get(run) ?? []) hits.set(index, (hits.get(index) ?? 0) + 1);
    for (const [index, count] of hits) {
      const share = count / (own[index] ?? 1);
      const known = found.get(index);
      if (share >= LEAST_SHARE && (known === undefined || (!known.isExact && share > known.share)))
        found.set(index, { twin, isExact: false, share });
    }
  }
  return {
    ...{ evaluated: evaluation.length, compared },
    items: [...found]
      .toSorted(([left], [right]) => left - right)
      .map(([index, item]) => ({ key: evaluation[index]?.key ?? '', ...item })),
  };
}

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const listRuns = (words: readonly string[]): string[] =>
  Array.from({ length: Math.max(0, words.length - RUN_WORDS + 1) }, (_, from) =>
    words.slice(from, from + RUN_WORDS).join(' '),
  );

function append(map: Map<string, number[]>, name: string, index: number): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, [index]);
  else known.push(index);
}
