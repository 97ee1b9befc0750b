/** Makes long conversations fit a training context: the middle becomes a summary, the ends stay as they were. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COMPRESSION_DEFAULTS,
  compressFiles,
  createCharacterCounter,
  createExtractiveSummarizer,
} from '@lachesis/data';

const folder = await mkdtemp(join(tmpdir(), 'compress-rows-'));
try {
  const conversations = [
    { from: 'system', value: 'You mend looms.' },
    { from: 'human', value: 'The third loom stops after a while. Find out why.' },
    ...Array.from({ length: 30 }, (_, turn) => [
      { from: 'gpt', value: `I look at part ${turn}. I decide to go on with part ${turn + 1}.` },
      { from: 'tool', value: `part ${turn}: ${'all threads are in place, nothing is worn. '.repeat(10)}` },
    ]).flat(),
    { from: 'gpt', value: 'The shaft of the third loom is bent; it has to be replaced.' },
  ];
  const input = join(folder, 'long.jsonl');
  await writeFile(input, `${JSON.stringify({ conversations })}\n`);

  // Characters instead of tokens, and sentences of the turns instead of a model's summary: it needs nothing else. With
  // `loadTokenCounter` and `createModelSummarizer` it counts as your model does and asks one to summarise.
  const counter = createCharacterCounter();
  const { output, metrics } = await compressFiles({
    ...{ input, counter, summarizer: createExtractiveSummarizer({ counter }) },
    settings: { ...COMPRESSION_DEFAULTS, targetMaxTokens: 1_000, summaryTargetTokens: 200 },
  });
  const [row] = (await readFile(output, 'utf8')).split('\n');
  const { conversations: kept } = JSON.parse(row!) as { conversations: { from: string; value: string }[] };
  console.log(`${conversations.length} turns became ${kept.length}`);
  console.log(`last turn: ${kept.at(-1)!.value}`);
  console.log(`summary: ${metrics['summary'] === undefined ? 'none' : JSON.stringify(metrics['summary'])}`);
  if (kept.length >= conversations.length) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
