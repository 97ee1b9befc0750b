import type { Summarizer, Summary, SummaryQuestion } from '../summarize/summary.ts';
import { type SummaryJournal, nameQuestion } from './summary-journal.ts';

export interface KeptSummary extends Summary {
  /** The name of the question, under which the journal has it. */
  readonly key: string;
  /** It was paid for before, by this run or an earlier one. */
  readonly isReused: boolean;
}

/** Asks for a summary unless the journal has it. Rows that ask the same at the same time share one call. */
export function createKeptSummarizer({
  summarizer,
  journal,
}: {
  summarizer: Summarizer;
  journal: SummaryJournal;
}): (question: SummaryQuestion) => Promise<KeptSummary> {
  const underWay = new Map<string, Promise<Summary>>();
  return async (question) => {
    const key = nameQuestion(summarizer.identity, question);
    if (!summarizer.isPaid) return { ...(await summarizer.summarize(question)), key, isReused: false };
    const known = await journal.find(key);
    if (known !== undefined) return { ...known, key, isReused: true };
    const other = underWay.get(key);
    if (other !== undefined) {
      try {
        return { ...(await other), key, isReused: true };
      } catch {
        // The other row gave up, perhaps for its own limit of time; this one asks for itself.
        question.signal.throwIfAborted();
      }
    }
    const asked = askAndRecord(summarizer, journal, key, question);
    underWay.set(key, asked);
    try {
      return { ...(await asked), key, isReused: false };
    } finally {
      if (underWay.get(key) === asked) underWay.delete(key);
    }
  };
}

async function askAndRecord(
  summarizer: Summarizer,
  journal: SummaryJournal,
  key: string,
  question: SummaryQuestion,
): Promise<Summary> {
  const summary = await summarizer.summarize(question);
  // Dying before this line loses a summary that was paid for; dying behind it loses none.
  await journal.append(key, summary);
  return summary;
}
