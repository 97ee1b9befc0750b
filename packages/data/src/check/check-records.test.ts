import { describe, expect, test } from 'vitest';
import { digestRecord } from '@lachesis/store';
import type { ConversationRecord, DataRecord, ChatMessage } from '@lachesis/protocol';
import { sampleConversation, samplePreference } from '../export/parquet/sample-records.fixture.ts';
import { checkRecords, type CheckRecordsOptions } from './check-records.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const reply = (content: string): ChatMessage => ({ role: 'assistant', content });
const call = (id: string, text = '{}'): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, function: { name: 'f', arguments: text } }],
});
const answer = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'ok' });

async function classes(records: DataRecord[], options?: CheckRecordsOptions): Promise<Record<string, number[]>> {
  const { findings } = await checkRecords(records, options);
  return Object.fromEntries(findings.map((finding) => [finding.class, finding.rows.map(({ row }) => row)]));
}

const of = (...messages: ChatMessage[]): ConversationRecord => sampleConversation({ messages });

describe('a trainability report', () => {
  test('has nothing to say about ordinary rows', async () => {
    const rows = [
      of({ role: 'system', content: 'Be brief.' }, user('a'), reply('b'), user('c'), reply('d')),
      of(user('e'), call('1'), answer('1'), call('2'), answer('2'), reply('f')),
      of(
        user('g'),
        { ...call('1'), tool_calls: [...call('1').tool_calls!, ...call('2').tool_calls!] },
        answer('2'),
        answer('1'),
        reply('h'),
      ),
      of(user('i'), call(''), { role: 'tool', content: 'an answer without an id' }, reply('j')),
      samplePreference(),
    ];
    const report = await checkRecords(rows);
    expect(report).toMatchObject({ row_count: 5, trainable_count: 5, findings: [], held_out_checked: false });
  });

  test('counts a row once per class and names the first ones', async () => {
    const rows = Array.from({ length: 30 }, (_unused, index) =>
      of(user(`${index}`), reply(''), user('and?'), reply('')),
    );
    const { findings, trainable_count } = await checkRecords(rows, { rowsNamed: 4 });
    expect(findings).toMatchObject([{ class: 'empty-reply', severity: 'error', count: 30 }]);
    expect(findings[0]?.rows).toHaveLength(4);
    expect(trainable_count).toBe(0);
  });

  test('does not take forks for rewritten history', async () => {
    const first = { ...of(user('a'), reply('b')), trajectory_id: 't' };
    const longer = { ...of(user('a'), reply('b'), user('c'), reply('d')), trajectory_id: 't' };
    const fork = { ...of(user('a'), reply('another')), trajectory_id: 't' };
    const rewritten = { ...of(user('A'), reply('b')), trajectory_id: 't' };
    expect(await classes([first, longer, fork, rewritten])).toEqual({ 'prefix-break': [3, 3, 3] });
  });

  test('takes over what the join of tokens found', async () => {
    const extra = { lachesis: { tokens_missing: 'prefix-break', tokens_missing_at: 2 } };
    const { findings } = await checkRecords([sampleConversation({ trajectory_id: 't', extra })]);
    expect(findings).toMatchObject([
      { class: 'prefix-break', rows: [{ detail: 'the prompt of turn 2 does not begin with the tokens before it' }] },
    ]);
  });

  test('finds calls without answers, answers without calls, and calls that do not parse', async () => {
    expect(await classes([of(user('a'), call('1'), answer('2'), reply('b'))])).toEqual({ 'unpaired-call': [0, 0] });
    expect(await classes([of(user('a'), call('1', 'not JSON'), answer('1'), reply('b'))])).toEqual({
      'unparsed-call': [0],
    });
    expect(await classes([of(user('a'), call('1', '[1]'), answer('1'), reply('b'))])).toEqual({ 'unparsed-call': [0] });
  });

  test('estimates lengths of text, counts where it is given a counter, and says which', async () => {
    const long = of(user('word '.repeat(10_000)), reply('b'));
    const estimate = await checkRecords([long], { contextTokens: 8_192 });
    expect(estimate.findings[0]?.rows[0]?.detail).toMatch(/^about 12501 tokens/);
    expect(await classes([long], { countTokens: () => 8_192 })).toEqual({});
    const counted = await checkRecords([long], { countTokens: () => 8_193 });
    expect(counted.findings[0]?.rows[0]?.detail).toBe('8193 tokens, the context holds 8192');
  });

  test('names the held-out set', async () => {
    const row = sampleConversation();
    const { prompt } = digestRecord(row);
    const findHeldOut = async (digests: string[]) =>
      digests.filter((digest) => digest === prompt).map((digest) => ({ digest, dataset: 'exam@2' }));
    const { findings } = await checkRecords([row], { findHeldOut });
    expect(findings).toMatchObject([{ class: 'held-out', rows: [{ row: 0, detail: 'it is in exam@2' }] }]);
  });

  test('does not ask text rows for logprobs', async () => {
    const tokens = { token_ids: [1, 2], mask: [0, 1] as (0 | 1)[], logprobs: [0, -1] };
    expect(await classes([of(user('a'), reply('b')), of(user('c'), reply('d'))])).toEqual({});
    expect(await classes([of(user('a'), reply('b')), { ...of(user('c'), reply('d')), tokens }])).toEqual({
      'missing-logprobs': [0],
    });
  });

  test('names rows with tools or calls that the chat template leaves out, where it is known', async () => {
    const rows = [of(user('a'), reply('b')), of(user('e'), call('1'), answer('1'), reply('f'))];
    const template = { drops: ['tool_calls'] as const, place: 'tiny' };
    expect(await classes(rows)).toEqual({});
    expect(await classes(rows, { template })).toEqual({ 'dropped-tools': [1] });
    const { findings } = await checkRecords(rows, { template });
    expect(findings[0]?.rows[0]?.detail).toBe('the template of tiny leaves out its tool_calls');
  });
});
