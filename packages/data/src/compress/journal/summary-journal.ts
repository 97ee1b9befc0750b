import { createHash } from 'node:crypto';
import type { Summarizer, Summary, SummaryQuestion } from '../summarize/summary.ts';

/** Summaries that were paid for, by what was asked. */
export interface SummaryJournal extends AsyncDisposable {
  /** How many it holds. */
  readonly size: number;
  find(key: string): Promise<Summary | undefined>;
  /** Resolves when the summary is on disk: from then on it is never asked for again. */
  append(key: string, summary: Summary): Promise<void>;
}

/** The name of a question: who is asked, for how much, and about which text. */
export function nameQuestion(
  identity: Summarizer['identity'],
  { content, targetTokens }: Pick<SummaryQuestion, 'content' | 'targetTokens'>,
): string {
  const facts = Object.entries(identity).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([facts, targetTokens]))
    .update(content)
    .digest('hex');
}
