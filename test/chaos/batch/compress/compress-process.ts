import { compressFiles } from '../../../../packages/data/src/compress/compress-files.ts';
import { openSummaryJournal } from '../../../../packages/data/src/compress/journal/open-summary-journal.ts';
import type { SummaryJournal } from '../../../../packages/data/src/compress/journal/summary-journal.ts';
import type { CompressionSettings } from '../../../../packages/data/src/compress/settings/compression-settings.ts';
import { createModelSummarizer } from '../../../../packages/data/src/compress/summarize/create-model-summarizer.ts';
import { createCharacterCounter } from '../../../../packages/data/src/compress/tokens/token-counter.ts';

export interface CompressionJob {
  readonly input: string;
  readonly output: string;
  readonly settings: CompressionSettings;
  /** The fault: a journal that says yes and writes nothing down. */
  readonly isForgetful: boolean;
}

async function openForgetful(): Promise<SummaryJournal> {
  return {
    size: 0,
    find: () => Promise.resolve(undefined),
    append: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/**
 * A compression that is killed from outside. It loads the least it needs, before it is told to begin, so that a life is
 * spent on work.
 */
process.once('message', (message) => {
  const { input, output, settings, isForgetful } = message as CompressionJob;
  compressFiles({
    ...{ input, output, settings, counter: createCharacterCounter() },
    summarizer: createModelSummarizer({ settings, apiKey: 'no-key' }),
    openJournal: isForgetful ? openForgetful : openSummaryJournal,
  }).then(
    ({ isDone, sums }) => process.exit(isDone && sums.failed === 0 ? 0 : 1),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
// Whoever started us is gone: nobody would end us.
process.once('disconnect', () => process.exit(2));
process.send?.('ready');
