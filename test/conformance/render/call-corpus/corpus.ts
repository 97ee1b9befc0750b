import type { ToolCallFormat } from '@lachesis/protocol';

/** What has to come out: `text`, `name(arguments)` with the arguments as the model wrote them, or `!reason`. */
export interface CorpusCase {
  readonly text: string;
  readonly expected: readonly string[];
}

export interface CallCorpus {
  readonly format: ToolCallFormat;
  readonly good: readonly CorpusCase[];
  /** Each holds at least one call that went wrong. */
  readonly broken: readonly CorpusCase[];
}

export const expectCase = (text: string, ...expected: string[]): CorpusCase => ({ text, expected });
