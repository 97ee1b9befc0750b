import { expect, test } from 'vitest';
import { createCharacterCounter } from '../tokens/token-counter.ts';
import { COMPRESSION_DEFAULTS } from '../settings/compression-settings.ts';
import { createExtractiveSummarizer } from './create-extractive-summarizer.ts';
import { NoSummaryError, createModelSummarizer } from './create-model-summarizer.ts';
import { createPauseGate } from './create-pause-gate.ts';
import { type SummaryQuestion, toSummaryText } from './summary.ts';
import { trimSummary } from './trim-summary.ts';

const question: SummaryQuestion = {
  ...{ content: '[Turn 4 - GPT]:\nx', turns: [{ from: 'gpt', value: 'x' }], firstTurn: 4, targetTokens: 50 },
  signal: new AbortController().signal,
};

function createClock() {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    sleep: (ms: number) => {
      slept.push(ms);
      time += ms;
      return Promise.resolve();
    },
  };
}

function serve(replies: readonly (string | { status: number; retryAfter?: string })[]) {
  const bodies: Record<string, unknown>[] = [];
  const clock = createClock();
  const summarizer = createModelSummarizer({
    settings: { ...COMPRESSION_DEFAULTS, baseUrl: 'http://name:secret@127.0.0.1:9/v1' },
    apiKey: 'key',
    clock,
    random: () => 0,
    fetch: (_url, init) => {
      const reply = replies[bodies.length] ?? '';
      bodies.push(JSON.parse(init?.body as string) as Record<string, unknown>);
      if (typeof reply !== 'string') {
        const headers = reply.retryAfter === undefined ? {} : { 'retry-after': reply.retryAfter };
        return Promise.resolve(new Response('{"error":{"message":"no"}}', { status: reply.status, headers }));
      }
      return Promise.resolve(
        Response.json({ choices: [{ message: { role: 'assistant', content: reply }, finish_reason: 'stop' }] }),
      );
    },
  });
  return { summarizer, bodies, clock };
}

test('a summary has its prefix exactly once, and nothing is none', () => {
  expect(toSummaryText('  [CONTEXT SUMMARY]: a ')).toBe('[CONTEXT SUMMARY]: a');
  expect(toSummaryText('a\n')).toBe('[CONTEXT SUMMARY]: a');
  expect([toSummaryText(''), toSummaryText(' [CONTEXT SUMMARY]:  ')]).toEqual([undefined, undefined]);
});

test('a model is asked for twice the target, and its key and password stay out of the identity', async () => {
  const { summarizer, bodies } = serve(['it went on']);
  expect(await summarizer.summarize(question)).toMatchObject({
    text: '[CONTEXT SUMMARY]: it went on',
    calls: 1,
    errors: 0,
  });
  expect(bodies[0]).toMatchObject({ max_tokens: 100, temperature: 0.3, model: COMPRESSION_DEFAULTS.model });
  expect(JSON.stringify(summarizer.identity)).not.toContain('secret');
});

test('an empty answer is a failed try, and after the last try there is no summary', async () => {
  const { summarizer, bodies, clock } = serve(['', { status: 500 }, '']);
  await expect(summarizer.summarize(question)).rejects.toBeInstanceOf(NoSummaryError);
  expect(bodies).toHaveLength(3);
  expect(clock.slept).toEqual([2_000, 4_000]);
});

test('who is asked to wait makes everybody wait, and has not failed', async () => {
  const { summarizer, clock } = serve([...Array.from({ length: 5 }, () => ({ status: 429, retryAfter: '7' })), 'done']);
  expect(await summarizer.summarize(question)).toMatchObject({ calls: 6, errors: 5 });
  expect(clock.slept).toEqual([7_000, 7_000, 7_000, 7_000, 7_000]);
});

test('a refused key ends the run and not the row', async () => {
  const { summarizer, bodies } = serve([{ status: 401 }]);
  await expect(summarizer.summarize(question)).rejects.toMatchObject({ kind: 'summarizer-refused' });
  expect(bodies).toHaveLength(1);
});

test('a pause is never made shorter', async () => {
  const clock = createClock();
  const gate = createPauseGate({ clock });
  gate.pause(500);
  gate.pause(100);
  await gate.wait();
  expect(clock.now()).toBe(500);
});

test('the extractive one stays within its tokens and tells calls, errors and decisions', async () => {
  const counter = createCharacterCounter();
  const call = '<tool_call>\n{"name": "terminal", "arguments": {"command": "ls /data"}}\n</tool_call>';
  const turns = [
    { from: 'gpt', value: `<think>\nI decided to list the folder because 17 files are missing.\n</think>\n${call}` },
    {
      from: 'tool',
      value: '<tool_response>\n{"name": "terminal", "content": {"error": "no such folder"}}\n</tool_response>',
    },
    { from: 'gpt', value: 'Hmm. '.repeat(500) },
  ];
  const { text } = await createExtractiveSummarizer({ counter }).summarize({ ...question, turns, targetTokens: 120 });
  expect(text).toContain('Turn 4: called terminal(command: ls /data)');
  expect(text).toContain('I decided to list the folder because 17 files are missing.');
  expect(text).toContain('no such folder');
  expect(await counter.count(text)).toBeLessThanOrEqual(130);
});

test('a summary that has to be shorter ends behind a word', async () => {
  const counter = createCharacterCounter();
  const text = `[CONTEXT SUMMARY]: ${'seven words stand in this one sentence. '.repeat(40)}`;
  const trimmed = await trimSummary({ text, tokens: 60, counter });
  expect(trimmed?.endsWith('sentence.')).toBe(true);
  expect(await counter.count(trimmed ?? '')).toBeLessThanOrEqual(60);
  expect(await trimSummary({ text, tokens: 3, counter })).toBeUndefined();
});
