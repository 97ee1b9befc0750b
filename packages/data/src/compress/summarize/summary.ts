import { strip } from '../../records/python/python-space.ts';
import type { Turn } from '../region/turn.ts';

/** What a summary begins with, so that a reader of the row knows it for one. */
export const SUMMARY_PREFIX = '[CONTEXT SUMMARY]:';

export interface SummaryQuestion {
  /** The turns as text, long ones cut. */
  readonly content: string;
  readonly turns: readonly Turn[];
  /** The place of the first of them in its row. */
  readonly firstTurn: number;
  readonly targetTokens: number;
  readonly signal: AbortSignal;
}

export interface Summary {
  /** With the prefix. */
  readonly text: string;
  /** Calls of the model, those that failed included. */
  readonly calls: number;
  readonly errors: number;
  /** The model was stopped by the limit on its output. */
  readonly isCut: boolean;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Writes the summary that stands in for the middle turns of a trajectory. */
export interface Summarizer {
  /** What stands in the provenance of a row, and in the key under which a summary is kept. No secrets. */
  readonly identity: Readonly<Record<string, string | number | null>>;
  /** Whether a summary costs something, and so has to be kept before it is used. */
  readonly isPaid: boolean;
  /** Throws when there is none. It never gives something in the place of a summary. */
  summarize(question: SummaryQuestion): Promise<Summary>;
}

/** The text with the prefix exactly once; undefined when there is nothing behind it. */
export function toSummaryText(reply: string): string | undefined {
  const text = strip(reply);
  const rest = text.startsWith(SUMMARY_PREFIX) ? text.slice(SUMMARY_PREFIX.length) : text;
  if (strip(rest) === '') return undefined;
  return text.startsWith(SUMMARY_PREFIX) ? text : `${SUMMARY_PREFIX} ${text}`;
}
