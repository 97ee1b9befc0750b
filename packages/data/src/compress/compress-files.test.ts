import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tryLock } from '@lachesis/protocol/files';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { analyzeFiles } from './analyze-files.ts';
import { CompressionError } from './compression-error.ts';
import { type CompressFilesOptions, compressFiles } from './compress-files.ts';
import { NoSummaryError } from './summarize/create-model-summarizer.ts';
import { COMPRESSION_DEFAULTS } from './settings/compression-settings.ts';
import { readCompressionSettings } from './settings/read-compression-settings.ts';
import type { Summarizer } from './summarize/summary.ts';
import { createCharacterCounter } from './tokens/token-counter.ts';

let folder = '';
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'lachesis-compress-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (...parts: string[]): string => join(folder, ...parts);
const settings = { ...COMPRESSION_DEFAULTS, targetMaxTokens: 400, summaryTargetTokens: 20, maxConcurrentRequests: 2 };

/** A row of so many calls and answers; with 12 it is too long, with 2 it is not. */
function makeRow(index: number, exchanges: number): string {
  const turns = [
    { from: 'system', value: 'You are careful.' },
    { from: 'human', value: `Task ${index}` },
  ];
  for (let turn = 0; turn < exchanges; turn += 1) {
    turns.push({ from: 'gpt', value: `<think>\nlook ${index}-${turn}\n</think>\nreading` });
    turns.push({ from: 'tool', value: `answer ${index}-${turn} ${'word '.repeat(40)}` });
  }
  return JSON.stringify({ prompt_index: index, cost: 0.5, conversations: turns });
}

function createSummarizer(summarize?: Summarizer['summarize']) {
  const asked: string[] = [];
  const summarizer: Summarizer = {
    identity: { kind: 'test' },
    isPaid: true,
    summarize: async (question) => {
      asked.push(question.content);
      const nothing = { calls: 1, errors: 0, isCut: false, promptTokens: 5, completionTokens: 1 };
      return (await summarize?.(question)) ?? { text: `[CONTEXT SUMMARY]: ${question.turns.length} turns`, ...nothing };
    },
  };
  return { asked, summarizer };
}

const run = (options: Partial<CompressFilesOptions> & { summarizer: Summarizer }) =>
  compressFiles({ input: at('rows.jsonl'), settings, counter: createCharacterCounter(), ...options });

const readRows = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const writeRows = (path: string, exchanges: readonly number[]): Promise<void> =>
  writeFile(
    path,
    exchanges.map((count, index) => `${makeRow(index, count)}\n`),
  );

test('long rows get a summary with its origin, short ones stay byte by byte, in their order', async () => {
  await writeRows(at('rows.jsonl'), [2, 12, 2, 14]);
  const { summarizer, asked } = createSummarizer();
  const report = await run({ summarizer });
  expect(report).toMatchObject({
    isDone: true,
    output: at('rows_compressed.jsonl'),
    sums: { compressed: 2, skipped: 2 },
  });
  const lines = (await readFile(at('rows_compressed.jsonl'), 'utf8')).split('\n');
  expect([lines[0], lines[2]]).toEqual([makeRow(0, 2), makeRow(2, 2)]);
  const [, row] = await readRows(at('rows_compressed.jsonl'));
  expect(row).toMatchObject({
    prompt_index: 1,
    cost: 0.5,
    compression_metrics: { was_compressed: true, still_over_limit: false, summarization_api_calls: 1 },
    compression_fidelity: { numbers: { of: expect.any(Number) } },
    compression_provenance: { source: { file: 'rows.jsonl', line: 2 }, tokenizer: 'characters/4', chosen_pass: 0 },
  });
  const turns = row?.['conversations'] as { from: string; value: string }[];
  expect(turns[0]?.value).toBe(`You are careful.${settings.summaryNoticeText}`);
  expect(turns.filter(({ value }) => value.startsWith('[CONTEXT SUMMARY]:'))).toHaveLength(1);
  expect(asked).toHaveLength(2);
  expect(await readdir(folder)).toEqual([
    '.rows_compressed.jsonl.lock',
    'rows.jsonl',
    'rows_compressed.jsonl',
    'rows_compressed.jsonl.summaries',
    'rows_compressed_metrics.json',
  ]);
});

test('a second run asks for nothing, also when the journal ends in the middle of a line', async () => {
  await writeRows(at('rows.jsonl'), [12, 12]);
  const first = createSummarizer();
  await run(first);
  const before = await readFile(at('rows_compressed.jsonl'), 'utf8');
  await appendFile(at('rows_compressed.jsonl.summaries'), '{"key": "half of a li');
  const second = createSummarizer();
  const report = await run(second);
  expect(second.asked).toEqual([]);
  expect(report.sums.reusedSummaries).toBe(2);
  expect(await readFile(at('rows_compressed.jsonl'), 'utf8')).toBe(before);
});

test('ended in the middle, the next run goes on and writes the same file', async () => {
  await writeRows(at('rows.jsonl'), [12, 12, 2, 12, 12, 12]);
  await run({ ...createSummarizer(), output: at('whole.jsonl') });
  const stop = new AbortController();
  const first = createSummarizer();
  const ended = await run({
    ...{ signal: stop.signal, output: at('out.jsonl') },
    summarizer: {
      ...first.summarizer,
      summarize: (question) => {
        if (first.asked.length === 1) stop.abort();
        return first.summarizer.summarize(question);
      },
    },
  });
  expect(ended.isDone).toBe(false);
  expect(await readdir(folder)).toContain('out.jsonl.progress');
  const second = createSummarizer();
  const done = await run({ ...second, output: at('out.jsonl') });
  expect(await readFile(at('out.jsonl'), 'utf8')).toBe(await readFile(at('whole.jsonl'), 'utf8'));
  expect(first.asked.length + second.asked.length).toBe(5);
  expect(done.sums).toMatchObject({ rows: 6, compressed: 5 });
});

test('a row without a summary stays as it was and has failed, and only it is asked for again', async () => {
  await writeRows(at('rows.jsonl'), [12, 12]);
  const failing = createSummarizer(({ content }) =>
    content.includes('answer 1-')
      ? Promise.reject(new NoSummaryError({ calls: 3, errors: 3, cause: 'away' }))
      : undefined!,
  );
  const report = await run(failing);
  expect(report.sums).toMatchObject({ compressed: 1, failed: 1, calls: 4, errors: 3 });
  expect(report.sums.failures).toEqual([{ file: 'rows.jsonl', line: 2, reason: expect.stringContaining('away') }]);
  expect((await readFile(at('rows_compressed.jsonl'), 'utf8')).split('\n')[1]).toBe(makeRow(1, 12));
  const again = createSummarizer();
  expect((await run(again)).sums).toMatchObject({ compressed: 2, failed: 0 });
  expect(again.asked).toHaveLength(1);
});

test('a row over its time stays as it was', async () => {
  await writeRows(at('rows.jsonl'), [12]);
  const slow = createSummarizer(
    ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const report = await run({ ...slow, settings: { ...settings, rowTimeoutSeconds: 0.02 } });
  expect(report.sums).toMatchObject({ failed: 1 });
  expect(await readFile(at('rows_compressed.jsonl'), 'utf8')).toBe(`${makeRow(0, 12)}\n`);
});

test('a summary that is too long brings another one about, of more turns', async () => {
  await writeRows(at('rows.jsonl'), [12]);
  const talkative = createSummarizer(({ turns }) =>
    Promise.resolve({
      text: `[CONTEXT SUMMARY]: ${'so much was said here '.repeat(turns.length < 14 ? 30 : 1)}`,
      ...{ calls: 1, errors: 0, isCut: false, promptTokens: 0, completionTokens: 0 },
    }),
  );
  const report = await run(talkative);
  expect(report.sums).toMatchObject({ compressed: 1, stillOver: 0 });
  expect(report.sums.furtherPasses).toBeGreaterThan(0);
});

test('the folder of a batch run is read once', async () => {
  await mkdir(at('run'));
  for (const name of ['batch_0.jsonl', 'trajectories.jsonl', 'discarded.jsonl']) await writeRows(at('run', name), [12]);
  const once = createSummarizer();
  const report = await run({ ...once, input: at('run') });
  expect(once.asked).toHaveLength(1);
  expect(report.notes[0]).toContain('batch run');
  expect((await readdir(at('run_compressed'))).sort()).toEqual([
    '.compression.lock',
    'compression.summaries',
    'compression_metrics.json',
    'trajectories.jsonl',
  ]);
});

test('lines that are no JSON are counted and left out, rows without a conversation stay', async () => {
  await writeFile(at('rows.jsonl'), `{"cut": \n{"note": 1.0}\n{"conversations": 7}\n`);
  const report = await run(createSummarizer());
  expect(report.sums).toMatchObject({ rows: 1, unreadableLines: 1, failed: 1 });
  expect(await readFile(at('rows_compressed.jsonl'), 'utf8')).toBe('{"note": 1.0}\n{"conversations": 7}\n');
});

test('an output that is the input, or that another process writes, is refused', async () => {
  await writeRows(at('rows.jsonl'), [2]);
  await expect(run({ ...createSummarizer(), output: at('rows.jsonl') })).rejects.toMatchObject({ kind: 'bad-output' });
  const other = tryLock(at('.rows_compressed.jsonl.lock'));
  await expect(run(createSummarizer())).rejects.toMatchObject({ kind: 'in-use' });
  other?.release();
  expect((await run(createSummarizer())).isDone).toBe(true);
});

test('a dry run counts and writes nothing', async () => {
  await writeRows(at('rows.jsonl'), [2, 12]);
  const outlook = await analyzeFiles({ input: at('rows.jsonl'), settings, counter: createCharacterCounter() });
  expect(outlook).toMatchObject({ rows: 2, rows_over_target: 1, summaries: 1, rows_stuck: 0 });
  expect(await readdir(folder)).toEqual(['rows.jsonl']);
});

test('settings of a file stand over the defaults, and a wrong one is named', () => {
  expect(readCompressionSettings({ summarization: { base_url: null, temperature: null } })).toMatchObject({
    baseUrl: COMPRESSION_DEFAULTS.baseUrl,
    temperature: null,
  });
  expect(readCompressionSettings({})).toEqual(COMPRESSION_DEFAULTS);
  const wrong = (): unknown => readCompressionSettings({ compression: { target_max_tokens: 'many' } }, 'my.yaml');
  expect(wrong).toThrow(CompressionError);
  expect(wrong).toThrow(/compression.target_max_tokens in my.yaml/);
});
